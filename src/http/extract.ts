import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'

/*
 * Full extracts: everything, streamed. Rows are read a chunk at a time, each by a query of its own that ends before the
 * next begins: a slow reader holds no connection, and memory stays flat however long the list is.
 */

export type Chunks = AsyncIterable<readonly object[]>

/** How many rows a query of an extract reads. */
export const EXTRACT_CHUNK = 2_000

/** One JSON array. The first chunk is read before anything is sent, so that a failure is still a proper error. */
export async function toJsonStream(chunks: Chunks): Promise<Readable> {
  async function* text(first: IteratorResult<readonly object[]>, rest: AsyncIterator<readonly object[]>) {
    let separator = '['
    for (let chunk = first; !chunk.done; chunk = await rest.next()) {
      if (chunk.value.length === 0) continue
      yield separator + chunk.value.map((row) => JSON.stringify(row)).join(',')
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  }
  const rest = chunks[Symbol.asyncIterator]()
  return Readable.from(text(await rest.next(), rest), { objectMode: false })
}

/** The same as CSV, with the field names as its header. */
export async function toCsvStream(chunks: Chunks, rowSchema: TSchema): Promise<Readable> {
  const names = Object.keys((rowSchema as { properties?: object }).properties ?? {})
  async function* text(first: IteratorResult<readonly object[]>, rest: AsyncIterator<readonly object[]>) {
    yield `${names.join(',')}\r\n`
    for (let chunk = first; !chunk.done; chunk = await rest.next()) {
      yield chunk.value
        .map((row) => `${names.map((name) => toCell((row as Record<string, unknown>)[name])).join(',')}\r\n`)
        .join('')
    }
  }
  const rest = chunks[Symbol.asyncIterator]()
  return Readable.from(text(await rest.next(), rest), { objectMode: false })
}

const QUOTED = /[",\r\n]/
/** What a spreadsheet would run: formulas, and the characters it skips before one. */
const FORMULA = /^[=+\-@\t\r]/
const PLAIN_NUMBER = /^\+?\d+$/

/** A cell, quoted where it must be; one that a spreadsheet would run as a formula is made text. */
export function toCell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const isFormula = typeof value === 'string' && FORMULA.test(text) && !PLAIN_NUMBER.test(text)
  const safe = isFormula ? `'${text}` : text
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
