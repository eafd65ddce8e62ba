import type { UploadedFile } from '../http/uploaded-file.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { type Column, columnKey, LIKELY_NUMBER_COLUMNS, NUMBER_COLUMNS } from './columns.ts'
import { badFile, type Row } from './row.ts'
import { readTextRows } from './text-rows.ts'
import { readXlsxRows } from './xlsx-rows.ts'

/** A table: CSV, TXT or XLSX, whatever its encoding and separator. */
export interface Table {
  columns: Column[]
  /** The column of the phone numbers, if it was recognised. */
  numberColumn: Column | undefined
  /** The rows below the header, in pieces. A file that is broken further down is refused when reading comes to that place. */
  rows: AsyncIterable<Row[]>
}

/** A table of people: one whose numbers are known. */
export interface Spreadsheet extends Table {
  numberColumn: Column
}

interface Reading {
  country: string
  /** The column that the customer named: a title or a position. */
  numberColumn?: string | undefined
}

/** Rows that are read to tell a header from data and names from numbers. */
const SAMPLE_ROWS = 50
/** Cells that are tried as numbers: a cell that is none takes 100 µs, and no other request is served meanwhile. */
const SAMPLE_CELLS = 2_000

/** Opens a file and recognises its form. Refuses a file without a column of numbers. */
export async function openSpreadsheet(file: UploadedFile, reading: Reading): Promise<Spreadsheet> {
  const table = await openTable(file, reading)
  const { numberColumn } = table
  if (numberColumn) return { ...table, numberColumn }
  const named = reading.numberColumn
  throw badFile(named === undefined ? 'has no column of phone numbers' : `has no column ${named}`)
}

/** The same, where the customer has yet to name the column of the numbers. */
export async function openTable(file: UploadedFile, { country, numberColumn }: Reading): Promise<Table> {
  const batches = (await isZip(file)) ? readXlsxRows(file) : readTextRows(file)
  const sample: Row[] = []
  while (sample.length < SAMPLE_ROWS) {
    const { value, done } = await batches.next()
    if (done) break
    sample.push(...value)
  }
  const [first] = sample
  if (!first) throw badFile('is empty')
  const width = sample.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const isNumber = (text: string | undefined) => text !== undefined && parsePhoneNumber(text, country) !== undefined

  const place = findNumberColumn(sample, width, { isNumber, numberColumn })
  // A header is text: a first number that is wrong is a wrong number, and no title.
  const titles = place === undefined ? first.cells.filter((cell) => cell.trim() !== '') : [first.cells[place] ?? '']
  const hasHeader = !first.cells.some(isNumber) && titles.every((title) => isTitle(title, width))
  const columns = Array.from({ length: width }, (_, index) => ({
    position: index + 1,
    name: hasHeader ? (first.cells[index] ?? '').trim() : ''
  }))
  return {
    columns,
    numberColumn: place === undefined ? undefined : columns[place],
    rows: joinRows(hasHeader ? sample.slice(1) : sample, batches)
  }
}

/** The named column, else the one with a known title, else the first that holds mostly numbers. */
function findNumberColumn(
  sample: Row[],
  width: number,
  { isNumber, numberColumn }: { isNumber(text: string | undefined): boolean; numberColumn: string | undefined }
): number | undefined {
  const titles = sample[0]?.cells ?? []
  if (numberColumn !== undefined) {
    const named = titles.findIndex((title) => columnKey(title) === columnKey(numberColumn))
    const position = /^[1-9]\d{0,3}$/.test(numberColumn) ? Number(numberColumn) - 1 : -1
    const place = named === -1 ? position : named
    return place >= 0 && place < width ? place : undefined
  }
  const byTitle = (names: readonly string[]) =>
    titles
      .map((title, index) => ({ index, rank: names.indexOf(columnKey(title)) }))
      .filter(({ rank }) => rank !== -1)
      .sort((a, b) => a.rank - b.rank)[0]?.index
  const named = byTitle(NUMBER_COLUMNS)
  if (named !== undefined) return named
  const lookedAt = sample.slice(0, Math.max(2, Math.ceil(SAMPLE_CELLS / width)))
  const shares = Array.from({ length: width }, (_, index) => {
    const filled = lookedAt.filter(({ cells }) => (cells[index] ?? '').trim() !== '')
    return filled.filter(({ cells }) => isNumber(cells[index])).length / Math.max(1, filled.length)
  })
  // "Numéro" may be that of a phone or of a client: such a title counts only with phone numbers below it.
  const likely = byTitle(LIKELY_NUMBER_COLUMNS)
  if (likely !== undefined && (shares[likely] ?? 0) > 0) return likely
  const mostly = shares.findIndex((share) => share > 0.5)
  const some = mostly === -1 ? shares.findIndex((share) => share > 0) : mostly
  return some === -1 ? likely : some
}

/** Whether the cell is a title: words, and no mistyped number. In a file of one column, only known titles count. */
function isTitle(text: string, width: number): boolean {
  const key = columnKey(text)
  if (NUMBER_COLUMNS.includes(key) || LIKELY_NUMBER_COLUMNS.includes(key)) return true
  return width > 1 && /\p{L}/u.test(text) && !/\d.*\d.*\d.*\d/.test(text)
}

async function* joinRows(first: Row[], rest: AsyncGenerator<Row[]>): AsyncGenerator<Row[]> {
  try {
    if (first.length > 0) yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

async function isZip({ handle, name }: UploadedFile): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0)
  const magic = buffer.toString('latin1')
  if (magic.startsWith('\xd0\xcf\x11\xe0')) {
    throw badFile('is an old .xls workbook or a protected one; save it as .xlsx without a password, or as CSV')
  }
  if (magic.startsWith('%PDF')) throw badFile('is a PDF; send CSV, TXT or XLSX')
  const isWorkbook = magic.startsWith('PK\x03\x04')
  if (!isWorkbook && /\.xlsx$/i.test(name)) {
    throw badFile('is no workbook, though its name ends in .xlsx; save it as .xlsx again, or name it .csv')
  }
  return isWorkbook
}
