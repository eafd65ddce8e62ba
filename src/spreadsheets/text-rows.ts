import { type CsvError, type Parser, parse } from 'csv-parse'
import { fromCell } from '../http/extract.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { badFile, COLUMNS_MAX, isBlank, type Row, tooManyColumns } from './row.ts'
import { decodeText, detectEncoding } from './text-encoding.ts'

const SEPARATORS = [',', ';', '\t'] as const
/** Lines that are read to find the separator. */
const SAMPLE_LINES = 20
const SAMPLE_CHARACTERS = 65_536
/** A longer line is a mistake: somewhere above, a quote was not closed. */
const RECORD_BYTES_MAX = 128 * 1024
/**
 * The parser counts the characters of cells, and keeps any number of empty cells: a file of separators alone would take 100 times
 * its size in memory. Every character of a cell may be a quote, which is written twice.
 */
const LINE_CHARACTERS_MAX = 2 * RECORD_BYTES_MAX + 3 * COLUMNS_MAX

/** The rows of a CSV or TXT file. A TXT file with one number a line is a CSV file with one column. */
export async function* readTextRows(file: UploadedFile): AsyncGenerator<Row[]> {
  const pieces = decodeText(file, await detectEncoding(file))
  let head = ''
  let isWhole = true
  for await (const piece of holdOpen(pieces)) {
    head += piece
    if (head.length < SAMPLE_CHARACTERS) continue
    isWhole = false
    break
  }

  let rows: Row[] = []
  // Excel's way to name the separator, on a line of its own, which the parser does not see.
  const hint = /^sep=(.)\r?\n/i.exec(head)
  let linesSeen = hint ? 1 : 0
  let lastLine = linesSeen
  let lineCharacters = 0
  // The correction of the parser's count of lines: of a line end within quotes it counts both characters.
  let uncounted = linesSeen
  const parser = parse({
    delimiter: hint?.[1] ?? findSeparator(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true, // A 5" pipe is no quoted field.
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    // Collected here and not read from the stream: a row at a time would be most of the cost.
    on_record(cells: string[], { lines }) {
      uncounted -= pairsWithin(cells)
      lastLine = lines + uncounted
      if (cells.length > COLUMNS_MAX) throw tooManyColumns(lastLine)
      if (isBlank(cells)) return null
      rows.push({ line: lastLine - linesWithin(cells), cells: cells.map(fromCell) })
      return null
    }
  })
  const failed = new Promise<never>((_resolve, reject) => {
    parser.once('error', (error) => reject(toRefusal(error, lastLine + 1)))
  })
  failed.catch(() => undefined) // Awaited with each write; a failure in between waits for the next.

  async function* feed(text: string): AsyncGenerator<Row[]> {
    refuseNul(text, linesSeen)
    linesSeen += countLines(text)
    const firstEnd = text.search(LINE_END)
    lineCharacters += firstEnd === -1 ? text.length : firstEnd
    if (lineCharacters > LINE_CHARACTERS_MAX) throw badFile(TOO_LONG, lastLine + 1)
    if (firstEnd !== -1) lineCharacters = text.length - Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) - 1
    await Promise.race([write(parser, text), failed])
    if (rows.length > 0) {
      yield rows
      rows = []
    }
  }
  yield* feed(hint ? head.slice(hint[0].length) : head)
  if (!isWhole) for await (const piece of pieces) yield* feed(piece)
  await Promise.race([end(parser), failed])
  if (rows.length > 0) yield rows
}

/** Lets a loop stop early without closing its source. */
function holdOpen<T>(source: AsyncGenerator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
}

/** The separator that is on every line, and most often; in a file with one column, any. */
export function findSeparator(head: string): string {
  const lines = head
    .replaceAll(/(?<=^|[,;\t\r\n])"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/, SAMPLE_LINES + 1)
    .slice(0, SAMPLE_LINES)
    .filter((line) => line.trim() !== '')
  const scores = SEPARATORS.map((separator) => {
    const counts = lines.map((line) => line.split(separator).length - 1)
    const everywhere = Math.min(...counts)
    return { separator, everywhere, most: Math.max(0, ...counts) }
  })
  scores.sort((a, b) => b.everywhere - a.everywhere || b.most - a.most)
  return scores[0]?.separator ?? ','
}

function linesWithin(cells: string[]): number {
  let lines = 0
  for (const cell of cells) if (cell.includes('\n')) lines += countLines(cell)
  return lines
}

function pairsWithin(cells: string[]): number {
  let pairs = 0
  for (const cell of cells) if (cell.includes('\r\n')) pairs += cell.split('\r\n').length - 1
  return pairs
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** PostgreSQL cannot store this character, and a file that has it is no text. */
function refuseNul(text: string, linesBefore: number): void {
  const at = text.indexOf('\0')
  if (at !== -1) throw badFile('holds a NUL byte: this is no text', linesBefore + countLines(text.slice(0, at)) + 1)
}

function write(parser: Parser, text: string): Promise<void> {
  return new Promise((resolve) => parser.write(text, () => resolve()))
}

function end(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    parser.once('end', () => resolve())
    parser.resume()
    parser.end()
  })
}

const LINE_END = /[\r\n]/
const TOO_LONG = 'is too long, or a quote is opened here and never closed'

const PROBLEMS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened here and never closed',
  CSV_MAX_RECORD_SIZE: TOO_LONG,
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by more text'
}

function toRefusal(error: Error, line: number): Error {
  const problem = PROBLEMS[(error as CsvError).code]
  return problem ? badFile(problem, line) : error
}
