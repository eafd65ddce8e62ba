import { Readable } from 'node:stream'
import Type, { type Static, type TSchema } from 'typebox'
import type { Refusal } from '../errors.ts'
import type { Caller } from './caller.ts'
import { type Description, describe } from './description.ts'
import type { Operation } from './operation.ts'
import type { PermissionNeeded } from './permission.ts'
import type { Request } from './request.ts'

/*
 * Full extracts: everything, streamed. Rows are read a chunk at a time, each by a query of its own that ends before the
 * next begins: a slow reader holds no connection, and memory stays flat however long the list is.
 */

/** Declares a full extract. */
export function extract<
  const Route extends `GET /${string}`,
  Row extends TSchema,
  Query extends TSchema = Type.TUnknown
>(declared: Extract<Route, Row, Query>): Operation {
  const answer = Type.Array(declared.row)
  return {
    ...describe({ ...declared, answer } as unknown as Description<string, TSchema, TSchema, TSchema>),
    isOpen: false,
    permission: declared.permission,
    isForSetup: false,
    row: declared.row,
    pdf: declared.pdf as unknown as Operation['pdf'],
    isEventStream: false,
    file: undefined,
    callback: undefined,
    prepare: undefined,
    handle: declared.handle as unknown as Operation['handle']
  }
}

/** A full extract: the handler yields chunks of rows, and the answer is streamed as JSON or, if asked for, CSV. */
type Extract<R extends string, Row extends TSchema, Q extends TSchema> = Omit<
  Description<R, Type.TUnknown, Q, Type.TArray<Row>>,
  'answer' | 'body'
> & {
  permission: PermissionNeeded
  row: Row
  handle(request: Request<R, Type.TUnknown, Q> & { caller: Caller }): AsyncIterable<Static<Row>[]>
  /** The same as a report for people, if asked for. */
  pdf?: {
    description: string
    write(request: Request<R, Type.TUnknown, Q> & { caller: Caller }): Promise<Buffer>
  }
}

export type Chunks = AsyncIterable<readonly object[]>

/** How many rows a query of an extract reads. */
export const EXTRACT_CHUNK = 500

/** Makes room for so many characters of an answer, or says why not. */
export type HoldAnswer = (characters: number) => Refusal | undefined

/** The text of a chunk, and its rows, from which the text is made. */
const COPIES = 2

/** One JSON array. */
export function toJsonStream(chunks: Chunks, hold: HoldAnswer): Promise<Readable> {
  return toStream(chunks, hold, async function* (rest) {
    let separator = '['
    for await (const rows of rest) {
      if (rows.length === 0) continue
      yield separator + rows.map((row) => JSON.stringify(row)).join(',')
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  })
}

/** The same as CSV, with the field names as its header. */
export function toCsvStream(
  chunks: Chunks,
  { row: rowSchema, hold }: { row: TSchema; hold: HoldAnswer }
): Promise<Readable> {
  const names = Object.keys((rowSchema as { properties?: object }).properties ?? {})
  const toLine = (row: object) => `${names.map((name) => toCell((row as Record<string, unknown>)[name])).join(',')}\r\n`
  return toStream(chunks, hold, async function* (rest) {
    yield `${names.join(',')}\r\n`
    for await (const rows of rest) yield rows.map(toLine).join('')
  })
}

/** The first chunk is read before anything is sent, so that a failure can still be answered with an error status. */
async function toStream(
  chunks: Chunks,
  hold: HoldAnswer,
  toText: (chunks: Chunks) => AsyncIterable<string>
): Promise<Readable> {
  const rest = chunks[Symbol.asyncIterator]()
  const first = await rest.next()
  async function* all() {
    for (let chunk = first; !chunk.done; chunk = await rest.next()) yield chunk.value
  }
  async function* held() {
    for await (const text of toText(all())) {
      const refusal = hold(COPIES * text.length)
      if (refusal) throw refusal
      yield text
    }
  }
  return Readable.from(held(), { objectMode: false })
}

const QUOTED = /[",;\t\r\n]/
/**
 * The beginnings of formulas, with full-width signs, and the characters that a spreadsheet skips before a formula. Not
 * only at the start of a cell: a spreadsheet set to French splits our file at `;`, also inside quotes, and a cell
 * begins after each.
 */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@＝＋－＠])|^(?=[\t\r\n])/g
/** What `toCell` makes of them. */
const MARKED_FORMULA = /(^|[;\t\r\n])'(?=[=+\-@＝＋－＠])|^'(?=[\t\r\n])/g
const PLAIN_NUMBER = /^\+?\d+$/

/** A cell, quoted where necessary. A text that a spreadsheet would run as a formula is marked as text. */
export function toCell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const isText = typeof value !== 'number' && !PLAIN_NUMBER.test(text)
  const safe = isText ? text.replaceAll(FORMULA, "$1'") : text
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a cell that `toCell` has written, or a spreadsheet: our extracts are files to import, too. */
export function fromCell(cell: string): string {
  return cell.includes("'") ? cell.replaceAll(MARKED_FORMULA, '$1') : cell
}
