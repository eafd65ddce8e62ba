import { type InputProblem, invalidInput } from '../errors.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { callingCodeOf, countryPrefixesOf } from '../phone-numbers/calling-codes.ts'
import { placeOf } from '../spreadsheets/columns.ts'
import { badFile } from '../spreadsheets/row.ts'
import { openTable } from '../spreadsheets/spreadsheet.ts'
import { Prefixes } from './prefixes.ts'
import { ANY_PREFIX, CREDITS_MAX, PREFIX_DIGITS_MAX, PRICE_KINDS, type Price, type PriceKind } from './price.ts'

/*
 * The prices of a file. A file with a fault is refused as a whole, with the lines at fault: half a list would let some
 * countries be written to at a price that nobody meant.
 */

const PRICES_MAX = 20_000
/** Lines that a refusal names. */
const PROBLEMS_MAX = 100

interface Line extends Price {
  line: number
}

/** Reads a price list from a file with the titles kind, prefix and credits. */
export async function readPriceFile(file: UploadedFile, country: string): Promise<Price[]> {
  const { lines, problems } = await readLines(file, country)
  const faults = [...problems, ...listRepeats(lines), ...(problems.length === 0 ? listGaps(lines) : [])]
  if (faults.length > 0) {
    faults.sort((a, b) => a.line - b.line)
    throw invalidInput(faults.slice(0, PROBLEMS_MAX).map(toProblem))
  }
  if (lines.length === 0) throw badFile('has no prices: its first line holds titles, and each other line a price')
  return lines.map(({ kind, prefix, credits }) => ({ kind, prefix, credits }))
}

interface Fault {
  line: number
  message: string
}

function toProblem({ line, message }: Fault): InputProblem {
  return { path: 'file', message: `line ${line}: ${message}` }
}

async function readLines(file: UploadedFile, country: string): Promise<{ lines: Line[]; problems: Fault[] }> {
  const { columns, rows } = await openTable(file, { country })
  const kindAt = placeOf(columns, 'kind', 'type', 'genre')
  const prefixAt = placeOf(columns, 'prefix', 'prefixe')
  const creditsAt = placeOf(columns, 'credits')
  if (kindAt < 0 || prefixAt < 0 || creditsAt < 0) {
    throw badFile('must begin with a line of titles: kind,prefix,credits')
  }
  const lines: Line[] = []
  const problems: Fault[] = []
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      const cell = (at: number) => (cells[at] ?? '').trim()
      const read = readLine({ kind: cell(kindAt), prefix: cell(prefixAt), credits: cell(creditsAt) })
      if (typeof read === 'string') problems.push({ line, message: read })
      else lines.push({ ...read, line })
      if (lines.length > PRICES_MAX) throw badFile(`has more than ${PRICES_MAX} prices`, line)
      if (problems.length > PROBLEMS_MAX) return { lines, problems }
    }
  }
  return { lines, problems }
}

const DIGITS = /^[1-9][0-9]*$/

/** A price, or why a line is none. */
function readLine(cells: { kind: string; prefix: string; credits: string }): Price | string {
  const kind = cells.kind.toLowerCase() as PriceKind
  if (!PRICE_KINDS.includes(kind)) return `kind must be ${PRICE_KINDS.join(', ')}`
  const prefix = cells.prefix === ANY_PREFIX ? '' : cells.prefix.replace(/^\+/, '')
  if (cells.prefix !== ANY_PREFIX && (!DIGITS.test(prefix) || prefix.length > PREFIX_DIGITS_MAX)) {
    return `prefix must be 1 to ${PREFIX_DIGITS_MAX} digits, such as 33, or ${ANY_PREFIX}`
  }
  if (prefix !== '' && callingCodeOf(prefix) === undefined) return `prefix ${prefix} begins with no calling code`
  if (!/^[0-9]{1,9}$/.test(cells.credits) || Number(cells.credits) < 1 || Number(cells.credits) > CREDITS_MAX) {
    return `credits must be a whole number from 1 to ${CREDITS_MAX}, such as 2`
  }
  return { kind, prefix, credits: Number(cells.credits) }
}

function* listRepeats(lines: readonly Line[]): Iterable<Fault> {
  const seen = new Map<string, number>()
  for (const { kind, prefix, line } of lines) {
    const key = `${kind} ${prefix}`
    const before = seen.get(key)
    if (before === undefined) seen.set(key, line)
    else yield { line, message: `${kind} has two prices for ${prefix || ANY_PREFIX}: the other is on line ${before}` }
  }
}

/** A price of one of these needs a price of the others, for the same numbers. */
const NEEDED: Record<PriceKind, readonly PriceKind[]> = {
  sms: [],
  rcs_basic: ['rcs_single', 'sms'],
  rcs_single: ['rcs_basic', 'sms'],
  rcs_conversation: ['rcs_single']
}

/**
 * A gap is a country that is priced in part: some of its numbers and not all, or one kind of RCS without the other, or RCS
 * without the SMS that it falls back to.
 */
function* listGaps(lines: readonly Line[]): Iterable<Fault> {
  const ofKind = (kind: PriceKind) => lines.filter((line) => line.kind === kind)
  const byKind = new Map(
    PRICE_KINDS.map((kind) => [
      kind,
      new Prefixes(ofKind(kind).map(({ prefix, credits }) => [prefix, credits] as const))
    ])
  )
  const isPriced = (kind: PriceKind, prefix: string) => byKind.get(kind)?.find(`+${prefix}`) !== undefined
  for (const { kind, prefix, line } of lines) {
    const missing = countryPrefixesOf(prefix).filter((whole) => !isPriced(kind, whole))
    if (missing.length > 0) {
      const rest = missing.join(', ')
      yield {
        line,
        message: `${kind} has a price for ${prefix} and none for the rest of ${rest}; add a line for ${rest}`
      }
    }
    for (const needed of NEEDED[kind]) {
      if (isPriced(needed, prefix)) continue
      const place = prefix || ANY_PREFIX
      yield { line, message: `${place} has a price for ${kind} and none for ${needed}; add a line for it` }
    }
  }
}
