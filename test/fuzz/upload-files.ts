import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { oddText } from './odd-values.ts'

/*
 * Files that people send, files that programs send by mistake, and files that somebody sends on purpose: texts and workbooks,
 * whole, damaged and hostile.
 */

type Bytes = Uint8Array

const TABLE = 'nom;tel;ville\nMartin;0639980001;Orléans\nRoy;+33 6 39 98 00 02;Lyon\n'

/** Texts that are known to be trouble, each under its name. */
export const TEXT_FILES: [name: string, content: Bytes][] = Object.entries({
  empty: '',
  'a header only': 'nom;tel\n',
  'a number only': '0639980001',
  'line ends only': '\r\n\n\r\r\n',
  'a mark of the order of bytes only': '\ufeff',
  'two marks': `\ufeff\ufeff${TABLE}`,
  'a quote that is not closed': 'tel;nom\n0639980001;"Roy\n0639980002;Max\n',
  'quotes everywhere': '"""";"\n""\n0639980001"""',
  'a NUL': 'tel\n06399\u000080001\n',
  'a separator of its own': 'sep=|\ntel|nom\n0639980001|x\n',
  'a separator that is a quote': 'sep="\ntel"nom\n0639980001"x\n',
  'a separator that is a line end': 'sep=\r\n\ntel\n0639980001\n',
  'a separator of half a character': 'sep=😀\ntel😀nom\n0639980001😀x\n',
  formulas: 'tel;nom\n0639980001;=1+1\n=0639980002;@SUM(A1)\n',
  'a line of a megabyte': `0639980001;${'x'.repeat(1_000_000)}\n`,
  'a title of 100 kB': `tel;${'t'.repeat(100_000)}\n0639980001;x\n`,
  'a hundred thousand columns': `tel${';'.repeat(100_000)}\n0639980001\n`,
  'fifty lines of twenty thousand columns': `${'06;'.repeat(20_000)}0639980001\n`.repeat(50),
  'a line per byte': '0\n'.repeat(50_000),
  'names of the language': 'tel;__proto__;constructor;toString\n0639980001;a;b;c\n',
  'the same column twice': 'tel;tel;TEL\n0639980001;0639980002;0639980003\n',
  'a PDF': '%PDF-1.7 …',
  'an old workbook': '\u00d0\u00cf\u0011\u00e0',
  HTML: '<html><table><tr><td>0639980001</td></tr></table></html>',
  'half characters': 'tel;nom\n0639980001;\ud800\n'
}).map(([name, text]) => [name, strToU8(text)])

/** The same in other encodings. */
export const ENCODED_FILES: [name: string, content: Bytes][] = [
  ['UTF-16 LE', Buffer.from(`\ufeff${TABLE}`, 'utf16le')],
  ['UTF-16 BE', Buffer.from(`\ufeff${TABLE}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from(TABLE, 'utf16le')],
  [
    'UTF-16 with half a character',
    Buffer.concat([Buffer.from(`\ufeff${TABLE}`, 'utf16le'), Buffer.from([0x00, 0xd8, 0x3d])])
  ],
  ['Latin-1', Buffer.from(TABLE, 'latin1')],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x30, 0, 0, 0])],
  ['broken UTF-8', Buffer.concat([Buffer.from(TABLE), Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xf0, 0x9f])])],
  ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]
]

export interface Workbook {
  sheet?: string
  sharedStrings?: string
  styles?: string
  workbook?: string
  rels?: string
}

const WORKBOOK = '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>'
const RELS = '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'
const STYLES = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
const CELL = '<row r="1"><c r="A1" t="inlineStr"><is><t>0639980001</t></is></c></row>'

const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

export function workbookOf(parts: Workbook): Bytes {
  const files: Record<string, string | undefined> = {
    'xl/workbook.xml': parts.workbook ?? WORKBOOK,
    'xl/_rels/workbook.xml.rels': parts.rels ?? RELS,
    'xl/styles.xml': parts.styles ?? STYLES,
    'xl/sharedStrings.xml': parts.sharedStrings,
    'xl/worksheets/sheet1.xml': parts.sheet ?? sheetOf(CELL)
  }
  const entries = Object.entries(files).filter(([, text]) => text !== undefined)
  return zipSync(Object.fromEntries(entries.map(([name, text]) => [name, strToU8(text ?? '')])), { level: 6 })
}

const PLAIN = workbookOf({})
const number = (attributes: string, value: string) => `<row r="2"><c ${attributes}><v>${value}</v></c></row>`
const ENTITIES = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100)}"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`

/** Workbooks that are known to be trouble, each under its name. */
export const WORKBOOKS: [name: string, content: Bytes][] = [
  ['a plain one', PLAIN],
  ['no sheet', zipSync({ 'xl/workbook.xml': strToU8(WORKBOOK) })],
  ['an archive of something else', zipSync({ 'a.txt': strToU8('0639980001') })],
  ['an archive of nothing', zipSync({})],
  ['a name that leads elsewhere', workbookOf({ rels: RELS.replace('worksheets/sheet1.xml', '../../../etc/passwd') })],
  ['a sheet that is no XML', workbookOf({ sheet: 'tel;nom\n0639980001;x' })],
  ['a sheet that ends in the middle', workbookOf({ sheet: '<worksheet><sheetData><row r="1"><c r="A1"><v>06' })],
  ['an empty sheet', workbookOf({ sheet: '' })],
  ['a sheet without rows', workbookOf({ sheet: sheetOf('') })],
  ['entities', workbookOf({ sheet: ENTITIES + sheetOf(CELL.replace('0639980001', '&b;&c;')) })],
  ['entities in the shared texts', workbookOf({ sharedStrings: `${ENTITIES}<sst><si><t>&b;</t></si></sst>` })],
  ['a NUL, written as a reference', workbookOf({ sheet: sheetOf(CELL.replace('0639980001', 'a&#0;b')) })],
  ['half a character, written as a reference', workbookOf({ sheet: sheetOf(CELL.replace('0639980001', '&#xD800;')) })],
  [
    'shared texts out of range',
    workbookOf({ sheet: sheetOf(CELL + number('t="s"', '999999') + number('t="s"', '-1')) })
  ],
  ['a shared text that is no number', workbookOf({ sheet: sheetOf(CELL + number('t="s"', '__proto__')) })],
  ...['1e308', '-1e308', 'NaN', '1e7', '-1', '2958466', '0', '60', 'x', '-700000', '1e300'].map(
    (value): [string, Bytes] => [
      `a date of ${value}`,
      workbookOf({ sheet: sheetOf(CELL + number('r="A2" s="1"', value)) })
    ]
  ),
  ...['1e99', '-5', '1.5', 'Infinity', '0', '9007199254740993', 'x'].map((row): [string, Bytes] => [
    `a row with the number ${row}`,
    workbookOf({ sheet: sheetOf(`${CELL}<row r="${row}"><c r="A2" t="str"><v>no number</v></c></row>`) })
  ]),
  ...['XFD1', '1', '', 'AAAAAAAAAAAA1', 'é1', 'ALL1'].map((cell): [string, Bytes] => [
    `a cell at ${cell}`,
    workbookOf({ sheet: sheetOf(`${CELL}<row r="2"><c r="${cell}" t="str"><v>0639980002</v></c></row>`) })
  ]),
  ['200,000 empty rows', workbookOf({ sheet: sheetOf('<row/>'.repeat(200_000)) })],
  ['deep nesting', workbookOf({ sheet: sheetOf('<a>'.repeat(50_000)) })],
  ['an attribute of a megabyte', workbookOf({ sheet: sheetOf(`<row r="${'1'.repeat(1_000_000)}">`) })],
  ['a comment of ten megabytes', workbookOf({ sheet: `<!--${'x'.repeat(10_000_000)}-->${sheetOf(CELL)}` })],
  ['a text of ten megabytes', workbookOf({ sheet: sheetOf(CELL.replace('0639980001', 'x'.repeat(10_000_000))) })],
  ['twenty megabytes of spaces', workbookOf({ sharedStrings: `<sst>${' '.repeat(20_000_000)}</sst>` })],
  [
    'a style format that is long',
    workbookOf({
      styles: `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(50_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`
    })
  ],
  ['a size that is too small', patchDirectory(24, 10)],
  ['a size that is too large', patchDirectory(24, 2 ** 31)],
  ['a compressed size that is too small', patchDirectory(20, 3)],
  ['a compressed size that is too large', patchDirectory(20, 2 ** 30)],
  ['an offset behind the end', patchDirectory(42, 2 ** 30)],
  ['another way of compressing', patchDirectory(10, 99)],
  ['a flag that says encrypted', patchDirectory(8, 0x0001)],
  ['a wrong checksum', patchDirectory(16, 12_345)]
]

/** The plain workbook with a field of every entry of its directory changed (APPNOTE 4.3.12). */
function patchDirectory(field: number, value: number): Bytes {
  const bytes = Buffer.from(PLAIN)
  const isShort = field === 8 || field === 10
  for (
    let at = bytes.indexOf('PK\x01\x02', 0, 'latin1');
    at !== -1;
    at = bytes.indexOf('PK\x01\x02', at + 4, 'latin1')
  ) {
    if (isShort) bytes.writeUInt16LE(value, at + field)
    else bytes.writeUInt32LE(value, at + field)
  }
  return bytes
}

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('0639980001', '+33639980002', 'tel', 'nom', '', '12', '01/02/2026') },
  { weight: 2, arbitrary: oddText.map((text) => text.slice(0, 200)) },
  { weight: 1, arbitrary: fc.constantFrom('"', '""', 'a"b', '"a', '\r', '\n', '\ufeff') }
)

export const anyText: fc.Arbitrary<Bytes> = fc
  .record({
    rows: fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 12 }),
    separator: fc.constantFrom(',', ';', '\t', '|', ' '),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r', '\n\r'),
    isQuoted: fc.boolean(),
    encoding: fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'latin1', 'utf16le')
  })
  .map(({ rows, separator, lineEnd, isQuoted, encoding }) => {
    const quote = (text: string) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text)
    return Buffer.from(rows.map((row) => row.map(quote).join(separator)).join(lineEnd), encoding)
  })

const attribute = fc.constantFrom(
  'A1',
  'B2',
  'C1',
  'ZZ9',
  '0',
  '',
  's',
  'str',
  'inlineStr',
  'b',
  'd',
  'e',
  '1',
  '-1',
  '1e99'
)
const element: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(attribute, attribute, fc.oneof(oddText, attribute))
    .map(([r, t, v]) => `<c r="${r}" t="${t}"><v>${xml(v)}</v></c>`),
  fc.tuple(attribute, attribute).map(([r, s]) => `<c r="${r}" s="${s}"><v>44000</v></c>`),
  fc.tuple(attribute).map(([r]) => `</row><row r="${r}">`),
  fc.constantFrom(
    '<c><is><t>0639980001</t></is></c>',
    '<x:c r="A1"/>',
    '<![CDATA[x]]>',
    '</row>',
    '<!-- -->',
    '&amp;',
    '<c'
  )
)

function xml(text: string): string {
  return text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').slice(0, 300)
}

export const anyWorkbook: fc.Arbitrary<Bytes> = fc
  .record({
    elements: fc.array(element, { maxLength: 20 }),
    texts: fc.array(oddText, { maxLength: 4 }),
    flips: fc.array(fc.tuple(fc.nat(3_000), fc.nat(255)), { maxLength: 3 }),
    cut: fc.option(fc.nat(2_000), { nil: undefined, freq: 5 })
  })
  .map(({ elements, texts, flips, cut }) => {
    const sharedStrings = `<sst>${texts.map((text) => `<si><t>${xml(text)}</t></si>`).join('')}</sst>`
    const bytes = workbookOf({ sheet: sheetOf(`${CELL}<row r="2">${elements.join('')}</row>`), sharedStrings })
    for (const [at, byte] of flips) if (at < bytes.length) bytes[at] = byte
    return cut === undefined ? bytes : bytes.subarray(0, cut)
  })
