import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { readPdfTexts } from '../../test/checks/pdf-text.ts'
import { toPrintable, writeReport } from './report.ts'

test('a report has all of its texts, over as many pages as it needs, and a bar for each value', async () => {
  const rows = Array.from({ length: 70 }, (_, index) => [`Line ${index}`, `${index}`])
  const pdf = await writeReport(
    {
      title: 'Soldes d’été',
      about: ['Du 1er au 30 juin'],
      figures: [{ name: 'Taux de clic', value: '12,5 %', detail: '5 sur 40' }],
      charts: [
        {
          title: 'Par jour',
          bars: [
            { label: '1/6', value: 3, shown: '3' },
            { label: '2/6', value: 0, shown: '0' },
            { label: '3/6', value: 6, shown: '6' }
          ]
        },
        { title: 'Nothing', bars: [] }
      ],
      tables: [
        { title: 'Lines', columns: ['', 'Count'], rows, none: 'None' },
        { title: 'Empty', columns: ['', 'Count'], rows: [], none: 'None' }
      ],
      foot: 'Chappe'
    },
    'fr'
  )
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  const texts = readPdfTexts(pdf)
  for (const text of [
    'Soldes d’été',
    'Du 1er au 30 juin',
    'Taux de clic',
    '12,5 %',
    '5 sur 40',
    'Par jour',
    '1/6',
    '3/6'
  ])
    assert.ok(texts.includes(text), `${text}: ${texts}`)
  // Only the largest bar tells its value.
  assert.deepEqual([texts.filter((text) => text === '6').length, texts.includes('3')], [2, true])
  for (const [line = ''] of rows) assert.ok(texts.includes(line), line)
  assert.equal(texts.filter((text) => text === 'Count').length, 3, 'columns are named on each page')
  assert.deepEqual(
    texts.filter((text) => text.startsWith('Chappe')),
    ['Chappe · 1/3', 'Chappe · 2/3', 'Chappe · 3/3']
  )
  assert.deepEqual(texts.slice(texts.indexOf('Empty')).slice(0, 2), ['Empty', 'None'])
})

test('characters that the fonts of a PDF lack become question marks, and spaces stay spaces', () => {
  const cases: [text: string, printable: string][] = [
    ['L’été – 5 € · œuvre « ici »', 'L’été – 5 € · œuvre « ici »'],
    ['1\u202f950', '1 950'],
    ['two\nlines\tand more', 'two lines and more'],
    ['e\u0301te\u0301', 'été'],
    ['Скидки 🎁', '?????? ?']
  ]
  for (const [text, printable] of cases) assert.equal(toPrintable(text), printable)
})
