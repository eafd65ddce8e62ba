import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import writeXlsxFile from 'write-excel-file/node'
import { atEnd } from '../../test/service/cleanup.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { columnKey } from './columns.ts'
import { COLUMNS_MAX } from './row.ts'
import { openSpreadsheet } from './spreadsheet.ts'
import { findSeparator } from './text-rows.ts'

async function toFile(t: TestContext, content: string | Uint8Array): Promise<UploadedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-sheet-'))
  atEnd(t, () => rm(folder, { recursive: true }))
  const path = join(folder, 'file')
  await writeFile(path, content)
  const handle = await open(path)
  atEnd(t, () => handle.close())
  const bytes = Buffer.from(content)
  return {
    name: 'file',
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    handle,
    async *read() {
      // In odd pieces, so that characters and lines are cut.
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
    }
  }
}

async function readAll(t: TestContext, content: string | Uint8Array, numberColumn?: string) {
  const sheet = await openSpreadsheet(await toFile(t, content), { country: 'FR', numberColumn })
  const rows: [number, ...string[]][] = []
  for await (const batch of sheet.rows) for (const { line, cells } of batch) rows.push([line, ...cells])
  return { titles: sheet.columns.map(({ name }) => name), number: sheet.numberColumn.position, rows }
}

const refusal = (pattern: RegExp) => (error: Error & { status?: number }) =>
  error.status === 400 && pattern.test(error.message)

const TABLE = 'nom;tel;ville\nMartin;0639980001;Orléans\nŒuvrard;0639980002;L’Haÿ\n'
const ROWS = [
  [2, 'Martin', '0639980001', 'Orléans'],
  [3, 'Œuvrard', '0639980002', 'L’Haÿ']
]

test('a text is read in whatever encoding it comes', async (t) => {
  const utf16 = Buffer.from(TABLE, 'utf16le')
  const encodings: [string, Uint8Array][] = [
    ['UTF-8', Buffer.from(TABLE)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TABLE}`)],
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${TABLE}`, 'utf16le')],
    ['UTF-16 LE without', utf16],
    ['UTF-16 BE with a mark', Buffer.from(`\ufeff${TABLE}`, 'utf16le').swap16()],
    ['UTF-16 BE without', Buffer.from(utf16).swap16()],
    ['Windows-1252', toWindows1252(TABLE)]
  ]
  for (const [name, bytes] of encodings) {
    const { titles, number, rows } = await readAll(t, bytes)
    assert.deepEqual([titles, number, rows], [['nom', 'tel', 'ville'], 2, ROWS], name)
  }
})

test('one accent at the very end is enough to tell Windows-1252 from UTF-8', async (t) => {
  const { rows } = await readAll(t, toWindows1252(`${'0639980001;x\n'.repeat(5_000)}0639980002;é\n`))
  assert.deepEqual(rows.at(-1), [5001, '0639980002', 'é'])
})

test('the separator is found: comma, semicolon, tab, or none', async (t) => {
  for (const separator of [',', ';', '\t']) {
    const { titles, rows } = await readAll(t, TABLE.replaceAll(';', separator))
    assert.deepEqual([titles, rows], [['nom', 'tel', 'ville'], ROWS])
  }
  assert.equal(findSeparator('a;b\n1,5;2,5\n'), ';')
  assert.equal(findSeparator('"a;b;c",x\n"d;e;f",y\n'), ',')
  const text = await readAll(t, '0639980001\r\n06 39 98 00 02\r\n\r\n+33639980003')
  assert.deepEqual(text.rows, [
    [1, '0639980001'],
    [2, '06 39 98 00 02'],
    [4, '+33639980003']
  ])
})

test('a header is told from data, and the column of the numbers is found', async (t) => {
  const cases: [file: string, number: number, titles: string[], rows: number][] = [
    ['0639980001;Léa\n0639980002;Max\n', 1, ['', ''], 2],
    ['Léa;0639980001\nMax;0639980002\n', 2, ['', ''], 2],
    ['Prénom;Contact\nLéa;0639980001\n', 2, ['Prénom', 'Contact'], 1],
    ['telephone;mobile\n0145678901;0639980001\n', 2, ['telephone', 'mobile'], 1],
    ['Téléphone;recipient\n0145678901;0639980001\n', 2, ['Téléphone', 'recipient'], 1],
    ['0612\n0639980001\n', 1, [''], 2], // A wrong number is no title.
    ['cp;x\n75001;0639980001\n', 2, ['cp', 'x'], 1],
    ['numero;contact\n12;0639980001\n', 2, ['numero', 'contact'], 1], // A client's number.
    ['nom;numéro\nx;0639980001\n', 2, ['nom', 'numéro'], 1],
    ['061234567O;Dupont\n0639980001;Martin\n', 1, ['', ''], 2], // A slip of the pen is no title.
    ['n/a\n0639980001\n', 1, [''], 2],
    ['sep=;\ntel;nom\n0639980001;x\n', 1, ['tel', 'nom'], 1],
    ['tel\n', 1, ['tel'], 0],
    ['tel\nabc\n', 1, ['tel'], 1]
  ]
  for (const [file, number, titles, count] of cases) {
    const read = await readAll(t, file)
    assert.deepEqual([read.number, read.titles, read.rows.length], [number, titles, count], file)
  }
  assert.equal((await readAll(t, 'a;b\n0639980001;0639980002\n', 'B')).number, 2)
  assert.equal((await readAll(t, '0639980001;0639980002\n', '2')).number, 2)
  await assert.rejects(readAll(t, 'a;b\n0639980001;0639980002\n', 'c'), refusal(/has no column c/))
  await assert.rejects(readAll(t, 'nom;ville\nMartin;Lyon\n'), refusal(/no column of phone numbers/))
})

test('rows of empty cells are no rows, in front of the header and at the end too', async (t) => {
  const expected = { titles: ['tel', 'nom'], number: 1 }
  const text = await readAll(t, ';\n\n  ;\ntel;nom\n;\n0639980001;Léa\n"";" "\n;\n')
  assert.deepEqual(text, { ...expected, rows: [[6, '0639980001', 'Léa']] })
  const sheet = await writeXlsxFile(
    [[{ value: ' ' }], ['tel', 'nom'].map((value) => ({ value })), [{ value: '0639980001' }], [null, { value: ' ' }]],
    {}
  ).toBuffer()
  assert.deepEqual(await readAll(t, sheet), { ...expected, rows: [[3, '0639980001']] })
  await assert.rejects(readAll(t, ';;\n;;\n'), refusal(/is empty/))
})

test('quoted fields keep separators, quotes and line ends, and lines are counted through them', async (t) => {
  const { rows } = await readAll(t, 'tel,note\n0639980001,"a, ""b""\nc"\n0639980002,5" pipe\n')
  assert.deepEqual(rows, [
    [2, '0639980001', 'a, "b"\nc'],
    [4, '0639980002', '5" pipe']
  ])
})

test('lines are counted the same with any line end, within quotes too', async (t) => {
  for (const end of ['\n', '\r\n']) {
    const file = ['tel;nom', `0639980001;"a${end}b"`, '06;x', `0639980002;"c${end}d${end}e"`, '07;y'].join(end)
    const { rows } = await readAll(t, file)
    assert.deepEqual(
      rows.map(([line]) => line),
      [2, 4, 5, 8]
    )
  }
})

test('whatever table is written as CSV is read back', async (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ';', ',', '\t', ' ', '\n', '😀'), maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (table) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
      const lines = table.map((cells, index) => [`063998000${index}`, ...cells].map(quote).join(';'))
      const { rows } = await readAll(t, `tel;a;b\n${lines.join('\n')}\n`)
      assert.deepEqual(
        rows.map(([, ...cells]) => cells),
        table.map((cells, index) => [`063998000${index}`, ...cells])
      )
    }),
    { numRuns: 60 }
  )
})

test('a broken text is refused with its line', async (t) => {
  await assert.rejects(
    readAll(t, 'tel;a\n0639980001;x\n0639980002;"never\n0639980003;x\n'),
    refusal(/line 3: a quote is opened/)
  )
  const long = `tel;a\n0639980001;"${'0639980002;x\n'.repeat(20_000)}`
  await assert.rejects(readAll(t, long), refusal(/line 2: is too long, or a quote is opened/))
  // Nothing but separators: the parser would keep an empty cell for each until the line ends, which it never does.
  await assert.rejects(readAll(t, `tel,a\n${','.repeat(270_000)}`), refusal(/line 2: is too long/))
  const widest = `tel,a\n${','.repeat(COLUMNS_MAX)}\n`
  await assert.rejects(readAll(t, widest), refusal(/line 2: has more than 1000 columns/))
  await assert.rejects(readAll(t, 'tel\n0639980001\n06399\x00800\n'), refusal(/line 3: holds a NUL byte/))
  await assert.rejects(readAll(t, 'sep=;\ntel\n06399\x00800\n'), refusal(/line 3: holds a NUL byte/))
  const quoted = 'tel;a\r\n0639980001;"x\r\ny"\r\n0639980002;"never\r\n'
  await assert.rejects(readAll(t, quoted), refusal(/line 4: a quote is opened/))
  await assert.rejects(readAll(t, ''), refusal(/is empty/))
  await assert.rejects(readAll(t, '\n\n'), refusal(/is empty/))
  await assert.rejects(readAll(t, Buffer.from('d0cf11e0a1b11ae1', 'hex')), refusal(/old \.xls/))
  await assert.rejects(readAll(t, '%PDF-1.7'), refusal(/PDF/))
})

test('a workbook of another program is read: texts, numbers, dates, gaps', async (t) => {
  const book = await writeXlsxFile(
    [
      [{ value: 'nom' }, { value: 'tel' }, { value: 'date' }, { value: 'ville' }],
      [
        { value: 'Martin & <fils>' },
        { value: '0639980001' },
        { value: new Date('1984-02-29T00:00:00Z'), format: 'dd/mm/yyyy' },
        null
      ],
      [
        null,
        { value: 33639980002 },
        { value: new Date('2026-11-15T09:30:00Z'), format: 'dd/mm/yyyy hh:mm' },
        { value: 'Orléans' }
      ]
    ],
    {}
  ).toBuffer()
  const { titles, number, rows } = await readAll(t, book)
  assert.deepEqual([titles, number], [['nom', 'tel', 'date', 'ville'], 2])
  assert.deepEqual(
    rows.map((row) => row.slice(0, 5)),
    [
      [2, 'Martin & <fils>', '0639980001', '1984-02-29'],
      [3, '', '33639980002', '2026-11-15 09:30:00', 'Orléans']
    ]
  )
})

const SHEET = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

function book(parts: Record<string, string>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
}

test('a workbook in unusual forms is read: inline texts, prefixes, the first tab, dates from 1904', async (t) => {
  const parts = {
    'xl/workbook.xml':
      '<x:workbook xmlns:x="a" xmlns:r="b"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="B" r:id="rId2"/><x:sheet name="A" r:id="rId1"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/other.xml"/></Relationships>',
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': SHEET('<row><c t="inlineStr"><is><t>wrong sheet</t></is></c></row>'),
    'xl/worksheets/other.xml': SHEET(
      '<row r="3"><c r="A3" t="inlineStr"><is><r><t>0639</t></r><r><t>980001</t></r></is></c><c r="D3" s="1"><v>0</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="e"><v>#REF!</v></c></row><row r="9"><c r="A9" t="str"><f>A3</f><v>0639980001</v></c></row>'
    )
  }
  const { rows } = await readAll(t, book(parts))
  const cdata = SHEET('<row><c r="a1" t="inlineStr"><is><t><![CDATA[0639980001]]></t></is></c></row>')
  assert.deepEqual((await readAll(t, book({ 'xl/worksheets/sheet1.xml': cdata }))).rows, [[1, '0639980001']])
  assert.deepEqual(rows, [
    [3, '0639980001', '', '', '1904-01-01', 'true', ''],
    [9, '0639980001']
  ])
})

test('characters that a workbook has to escape are read as what they are', async (t) => {
  const cell = (text: string, column: string) => `<c r="${column}1" t="inlineStr"><is><t>${text}</t></is></c>`
  const sheet = SHEET(
    `<row r="1">${cell('0639980001', 'A')}${cell('1, rue_x000D_\n du Lac', 'B')}${cell('a_x0000_b_xD83D__xDE00_', 'C')}${cell('_x005F_x000D_ _x12', 'D')}<c r="E1" t="s"><v>0</v></c></row>`
  )
  const shared = '<sst><si><t>L_x00C9_a</t></si></sst>'
  const parts = { 'xl/worksheets/sheet1.xml': sheet, 'xl/sharedStrings.xml': shared }
  assert.deepEqual((await readAll(t, book(parts))).rows, [
    [1, '0639980001', '1, rue\r\n du Lac', 'ab😀', '_x000D_ _x12', 'LÉa']
  ])
})

test('a hostile or damaged workbook is refused', async (t) => {
  const good = { 'xl/worksheets/sheet1.xml': SHEET('<row><c><v>33639980001</v></c></row>') }
  assert.equal((await readAll(t, book(good))).rows.length, 1)
  await assert.rejects(readAll(t, book({ 'a.txt': 'x' })), refusal(/has no sheet/))
  await assert.rejects(readAll(t, book(good).subarray(0, 60)), refusal(/damaged workbook/))
  const cut = book({
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row r="7"><c><v>33639980001</v></c></row><row>'
  })
  await assert.rejects(readAll(t, cut), refusal(/line 8: the sheet is damaged here/))
  const wide = book({ 'xl/worksheets/sheet1.xml': SHEET('<row r="4"><c r="XFD4"><v>1</v></c></row>') })
  await assert.rejects(readAll(t, wide), refusal(/line 4: has more than 1000 columns/))
  const entity = book({
    'xl/worksheets/sheet1.xml': `<!DOCTYPE a [<!ENTITY a "aaaa">]>${SHEET('<row><c t="str"><v>&a;</v></c></row>')}`
  })
  await assert.rejects(readAll(t, entity), refusal(/damaged/))
  const bomb = book({
    ...good,
    'xl/sharedStrings.xml': `<sst>${'<si><t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t></si>'.repeat(1_600_000)}</sst>`
  })
  assert.ok(bomb.length < 1_000_000, 'it is a bomb')
  await assert.rejects(readAll(t, bomb), refusal(/unpacks to more than 64 MiB/))
  const spaces = book({
    'xl/worksheets/sheet1.xml': SHEET(`<row><c><v>33639980001</v></c></row>${' '.repeat(3_000_000)}`)
  })
  await assert.rejects(readAll(t, spaces), refusal(/of more than 1 MiB/))
  const deep = book({ 'xl/worksheets/sheet1.xml': SHEET('<row><c>'.repeat(1_000)) })
  await assert.rejects(readAll(t, deep), refusal(/has tags nested deeper than 64/))
  // The archive declares a small sheet, and unpacks to a large one.
  const liar = Buffer.from(
    book({ 'xl/worksheets/sheet1.xml': SHEET('<row><c><v>33639980001</v></c></row>'.repeat(50_000)) })
  )
  const directory = liar.lastIndexOf('PK\x01\x02')
  liar.writeUInt32LE(200, directory + 24)
  await assert.rejects(readAll(t, liar), refusal(/damaged workbook/))
})

test('titles are compared without case, accents, spaces and dashes', () => {
  for (const title of ['Prénom', ' prenom ', 'PRE-NOM', 'pré_nom', 'Pre\u0301nom'])
    assert.equal(columnKey(title), 'prenom')
})

/** Only the parts that these tests use. */
function toWindows1252(text: string): Uint8Array {
  const odd: Record<string, number> = { Œ: 0x8c, '’': 0x92 }
  return Uint8Array.from([...text], (character) => odd[character] ?? character.charCodeAt(0))
}
