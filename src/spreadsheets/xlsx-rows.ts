import type { Readable } from 'node:stream'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Refusal } from '../errors.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { badFile, COLUMNS_MAX, isBlank, type Row, tooManyColumns } from './row.ts'
import { isDateFormat, toDateText } from './xlsx-dates.ts'

/*
 * The first sheet of a workbook, row by row as it is unpacked. Its shared texts are kept in memory, so their size is limited. So
 * is everything else that is unpacked, whatever sizes the archive declares.
 */

const ENTRIES_MAX = 10_000
const SHEET_BYTES_MAX = 1024 * 1024 * 1024
const SHARED_TEXTS_BYTES_MAX = 64 * 1024 * 1024
const SMALL_BYTES_MAX = 8 * 1024 * 1024
/** The parser gathers a tag with all its attributes, and the text between two tags: a gigabyte of spaces is a bomb too. */
const BETWEEN_TAGS_MAX = 1024 * 1024
const CELL_LENGTH_MAX = 32_767 // Excel's own limit.
/** The parser remembers every open tag: 8 million of them in an archive of 47 KB took 2.6 GB. Workbooks nest 10 deep. */
const DEPTH_MAX = 64
/**
 * A tag takes half a microsecond. The tags of a real workbook differ, and each takes a byte of the archive or more. Equal tags are
 * packed to 250 a byte, so that 100 KB could keep a core busy for seconds.
 */
const TAGS_PER_BYTE_MAX = 4
const TAGS_ANYWAY = 1_000_000
/** Excel has at most 65,490 cell styles, each with two tags inside. */
const SMALL_TAGS_MAX = 500_000

export async function* readXlsxRows(file: UploadedFile): AsyncGenerator<Row[]> {
  const book = await openBook(file)
  const { sheet, isFrom1904 } = await findSheet(book)
  const tagsMax = TAGS_ANYWAY + TAGS_PER_BYTE_MAX * file.size
  const texts = await readSharedTexts(book, tagsMax)
  const dateStyles = await readDateStyles(book)

  let rows: Row[] = []
  let row: Row | undefined
  let line = 0
  let column = 0
  let cell: { type: string; style: string } | undefined
  let text = ''
  let isText = false
  const parse = createParser(tagsMax, {
    open({ name, attributes }) {
      if (name === 'row') {
        line = toLine(attributes.r) ?? line + 1
        row = { line, cells: [] }
        column = 0
      } else if (name === 'c' && row) {
        column = toColumn(attributes.r ?? '') || column + 1
        if (column > COLUMNS_MAX) throw tooManyColumns(row.line)
        cell = { type: attributes.t ?? 'n', style: attributes.s ?? '' }
        text = ''
      } else if (cell && (name === 'v' || name === 't')) isText = true
    },
    text(piece) {
      if (!isText || !row) return
      text += piece
      if (text.length > CELL_LENGTH_MAX) throw badFile('a cell is too long', row.line)
    },
    close(name) {
      if (name === 'v' || name === 't') isText = false
      else if (name === 'c' && row && cell) {
        for (let at = row.cells.length; at < column - 1; at++) row.cells.push('')
        row.cells[column - 1] = toText(cell, text)
        cell = undefined
      } else if (name === 'row' && row) {
        if (!isBlank(row.cells)) rows.push(row)
        row = undefined
      }
    }
  })

  function toText({ type, style }: { type: string; style: string }, value: string): string {
    if (type === 's') return texts[Number(value)] ?? ''
    if (type === 'inlineStr' || type === 'str') return unescaped(value)
    if (type === 'b') return value === '1' ? 'true' : 'false'
    if (type === 'e') return ''
    if (type !== 'n' || value === '') return value
    if (dateStyles.has(style)) return toDateText(Number(value), isFrom1904)
    return toNumberText(value)
  }

  for await (const piece of unpack(book, sheet, SHEET_BYTES_MAX)) {
    parse(piece, line)
    if (rows.length === 0) continue
    yield rows
    rows = []
  }
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/**
 * A text as people see it: XML has no place for some characters, such as the line ends of Windows, so workbooks write them
 * as _x000D_ (ECMA-376, part 1, 22.9.2.19). A NUL and half a character cannot be stored.
 */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text
    .replaceAll(ESCAPED, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\0', '')
    .toWellFormed()
}

/** A phone number that was typed as a number: 3.3612345678E10 is 33612345678. */
function toNumberText(value: string): string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? String(number) : value
}

/** The row number; Excel's rows end at 1,048,576, and any other number is none. */
function toLine(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}

/** `AB12` → 28; 0 if it names no column. */
function toColumn(reference: string): number {
  let column = 0
  for (const letter of reference.toUpperCase()) {
    const digit = letter.charCodeAt(0) - 64
    if (digit < 1 || digit > 26) break
    column = column * 26 + digit
  }
  return column
}

interface Book {
  zip: ZipFile
  entries: Map<string, Entry>
}

async function openBook({ handle }: UploadedFile): Promise<Book> {
  const entries = new Map<string, Entry>()
  try {
    // We close the handle ourselves: it stays open for as long as the request.
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      yauzl.fromFd(handle.fd, { lazyEntries: true, autoClose: false }, (error, zip) =>
        error ? reject(error) : resolve(zip)
      )
    })
    if (zip.entryCount > ENTRIES_MAX) throw badFile(`has more than ${ENTRIES_MAX} parts`)
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry)
        zip.readEntry()
      })
      zip.once('end', resolve)
      zip.once('error', reject)
      zip.readEntry()
    })
    return { zip, entries }
  } catch (error) {
    throw asRefusal(error)
  }
}

/** The first sheet in the order of the tabs. */
async function findSheet(book: Book): Promise<{ sheet: string; isFrom1904: boolean }> {
  let firstId: string | undefined
  let isFrom1904 = false
  const targets = new Map<string, string>()
  await readSmall(book, 'xl/workbook.xml', ({ name, attributes }) => {
    if (name === 'sheet')
      firstId ??= attributes['r:id'] ?? Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
    if (name === 'workbookPr') isFrom1904 = attributes.date1904 === '1' || attributes.date1904 === 'true'
  })
  await readSmall(book, 'xl/_rels/workbook.xml.rels', ({ name, attributes }) => {
    if (name === 'Relationship') targets.set(attributes.Id ?? '', attributes.Target ?? '')
  })
  const target = targets.get(firstId ?? '') ?? 'worksheets/sheet1.xml'
  const sheet = target.startsWith('/') ? target.slice(1) : `xl/${target}`
  if (!book.entries.has(sheet)) throw badFile('is no workbook: it has no sheet')
  return { sheet, isFrom1904 }
}

async function readSharedTexts(book: Book, tagsMax: number): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  const parse = createParser(tagsMax, {
    open({ name }) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = !isPhonetic
    },
    text(piece) {
      if (!isText) return
      text += piece
      if (text.length > CELL_LENGTH_MAX) throw badFile('a cell is too long')
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'si') texts.push(unescaped(text))
    }
  })
  const entry = 'xl/sharedStrings.xml'
  if (!book.entries.has(entry)) return texts
  for await (const piece of unpack(book, entry, SHARED_TEXTS_BYTES_MAX)) parse(piece, 0)
  return texts
}

/** The cell styles whose numbers are dates. */
async function readDateStyles(book: Book): Promise<Set<string>> {
  const formats = new Map<string, string>()
  const styles = new Set<string>()
  let isCellStyles = false
  let style = 0
  await readSmall(book, 'xl/styles.xml', ({ name, attributes }) => {
    if (name === 'numFmt') formats.set(attributes.numFmtId ?? '', attributes.formatCode ?? '')
    if (name === 'cellStyleXfs') isCellStyles = false
    if (name === 'cellXfs') isCellStyles = true
    if (name === 'cellStyles' || name === 'dxfs') isCellStyles = false
    if (name !== 'xf' || !isCellStyles) return
    const format = attributes.numFmtId ?? ''
    if (isDateFormat(Number(format), formats.get(format))) styles.add(String(style))
    style++
  })
  return styles
}

/** A part that describes the others; a workbook may lack it. */
async function readSmall(book: Book, entry: string, open: (tag: Tag) => void): Promise<void> {
  if (!book.entries.has(entry)) return
  const parse = createParser(SMALL_TAGS_MAX, { open, text: () => undefined, close: () => undefined })
  for await (const piece of unpack(book, entry, SMALL_BYTES_MAX)) parse(piece, 0)
}

interface Tag {
  name: string
  attributes: Record<string, string | undefined>
}

interface TagHandlers {
  open(tag: Tag): void
  text(piece: string): void
  close(name: string): void
}

/** Names without their prefix: some programs write `x:row`. */
function createParser(tagsMax: number, on: TagHandlers) {
  const parser = new SaxesParser()
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  let sinceTag = 0
  let depth = 0
  let tags = 0
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    sinceTag = 0
    if (++depth > DEPTH_MAX) throw new TooMuch(`has tags nested deeper than ${DEPTH_MAX}`)
    if (++tags > tagsMax)
      throw new TooMuch(
        `has more than ${tagsMax} tags in one part, which is more than a workbook of its size has; save it as CSV`
      )
    on.open({ name: local(name), attributes })
  })
  parser.on('text', on.text)
  parser.on('cdata', on.text)
  parser.on('closetag', ({ name }) => {
    sinceTag = 0
    depth--
    on.close(local(name))
  })
  parser.on('error', (error) => {
    throw error
  })
  /** `line` is the last line that began, 0 outside of the sheet; an empty piece is the end. */
  return (piece: string, line: number) => {
    try {
      if (piece === '') parser.close()
      else parser.write(piece)
      sinceTag += piece.length
      if (sinceTag > BETWEEN_TAGS_MAX) throw new TooMuch('has a tag, or a text, of more than 1 MiB')
    } catch (error) {
      if (error instanceof Refusal) throw error
      if (error instanceof TooMuch) throw badFile(error.message, line || undefined)
      throw badFile('the sheet is damaged here', line)
    }
  }
}

/** More of something than a workbook has. */
class TooMuch extends Error {}

/** A part, piece by piece, and an empty piece at its end. */
async function* unpack({ zip, entries }: Book, name: string, bytesMax: number): AsyncGenerator<string> {
  const entry = entries.get(name)
  if (!entry) throw badFile(`is no workbook: ${name} is missing`)
  if (entry.uncompressedSize > bytesMax) {
    throw badFile(`unpacks to more than ${bytesMax / 1024 / 1024} MiB (${name}); save it as CSV`)
  }
  const decoder = new TextDecoder()
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
    })
    // yauzl stops a stream that is longer than the size that the archive declares.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const piece = decoder.decode(chunk, { stream: true })
      if (piece !== '') yield piece
    }
    yield ''
  } catch (error) {
    throw asRefusal(error)
  }
}

/** A failure of the unpacking is the file's fault, unless the disk failed. */
function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || (error as NodeJS.ErrnoException).code === 'EIO') return error
  return badFile(`is a damaged workbook (${(error as Error).message})`)
}
