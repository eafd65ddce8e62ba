import { strict as assert } from 'node:assert'
import writeXlsxFile from 'write-excel-file/node'
import { fileForm } from '../../test/service/file-form.ts'
import { startService, test } from '../../test/service/service.ts'

test('a file is shown as it would be read: its columns, their fields and the first ten rows', async (t) => {
  const { operator, pool } = await startService(t)
  const rows = Array.from({ length: 12 }, (_, index) => `06 39 98 00 ${String(index).padStart(2, '0')};Martin;bleu;L\n`)
  const file = `Portable;Nom;Couleur;Prénom;Nom de famille\n${rows.join('')}`
  const { body } = await operator.expect(200).post('/contacts/file/preview', fileForm(file))
  assert.deepEqual(body.columns, [
    { name: 'Portable', field: 'tel' },
    { name: 'Nom', field: 'champ_nom' },
    { name: 'Couleur', field: null },
    { name: 'Prénom', field: 'champ_prenom' },
    { name: 'Nom de famille', field: null }
  ])
  assert.equal(body.rows.length, 10)
  assert.deepEqual(body.rows[0], ['06 39 98 00 00', 'Martin', 'bleu', 'L', ''])
  assert.equal((await pool`select from contacts`).length, 0)

  const list = String((await operator.expect(200).post('/contactlists', { name: 'Import' })).body.id)
  const imported = await operator.expect(200).post('/contacts/file', fileForm(file, { contactlist_id: list }))
  assert.match(imported.body.message, /Columns left out: Couleur, Nom de famille\.$/)
})

test('files without a header, workbooks and long cells are shown too', async (t) => {
  const { operator } = await startService(t)
  const preview = async (content: string | Uint8Array, name: string) =>
    (await operator.expect(200).post('/contacts/file/preview', fileForm(content, {}, { name }))).body

  assert.deepEqual(await preview('0639980001\n0639980002\n', 'numbers.txt'), {
    columns: [{ name: '', field: 'tel' }],
    rows: [['0639980001'], ['0639980002']]
  })
  const book = await writeXlsxFile(
    [
      [{ value: 'Ville' }, { value: 'Mobile' }],
      [{ value: 'Lyon' }, { value: 33639980001 }]
    ],
    {}
  ).toBuffer()
  assert.deepEqual(await preview(book, 'book.xlsx'), {
    columns: [
      { name: 'Ville', field: 'champ_ville' },
      { name: 'Mobile', field: 'tel' }
    ],
    rows: [['Lyon', '33639980001']]
  })
  const long = await preview(`tel;nom\n0639980001;${'n'.repeat(2000)}\n`, 'long.csv')
  assert.equal(long.rows[0][1].length, 255)
})

test('a file without numbers is shown without a column for them; a mapping may still say where they are', async (t) => {
  const { operator } = await startService(t)
  const file = 'Client;Joindre\nMartin;?\nDurand;à demander\n'
  const { body } = await operator.expect(200).post('/contacts/file/preview', fileForm(file))
  assert.deepEqual(body, {
    columns: [
      { name: 'Client', field: null },
      { name: 'Joindre', field: null }
    ],
    rows: [
      ['Martin', '?'],
      ['Durand', 'à demander']
    ]
  })
  const list = String((await operator.expect(200).post('/contactlists', { name: 'Import' })).body.id)
  const plain = await operator.expect(400).post('/contacts/file', fileForm(file, { contactlist_id: list }))
  assert.equal(plain.body.details[0].message, 'has no column of phone numbers')
  const mapping = JSON.stringify({ Joindre: 'tel' })
  const mapped = await operator.expect(200).post('/contacts/file', fileForm(file, { contactlist_id: list, mapping }))
  assert.deepEqual([mapped.body.invalid, mapped.body.errors[0].line], [2, 2])
})

test('a file that is no table is refused', async (t) => {
  const { operator, anonymous } = await startService(t)
  const refused: [content: string, message: string][] = [
    ['', 'is empty'],
    ['%PDF-1.7', 'is a PDF; send CSV, TXT or XLSX'],
    ['tel\n"0639980001\n', 'line 2: a quote is opened here and never closed']
  ]
  for (const [content, message] of refused) {
    const { body } = await operator.expect(400).post('/contacts/file/preview', fileForm(content))
    assert.deepEqual(body.details, [{ path: 'file', message }])
  }
  const noFile = new FormData()
  noFile.append('other', 'x')
  assert.equal((await operator.expect(400).post('/contacts/file/preview', noFile)).body.details[0].path, 'file')
  await anonymous.expect(401).post('/contacts/file/preview', fileForm('0639980001\n'))
})
