import pg from 'pg'

/*
 * Values on their way out of the database. Most types are read as node-postgres reads them; this file lists the others.
 */

/** The ids of PostgreSQL's types, which never change. */
const OID = { bigint: 20, date: 1082, timestamp: 1114, timestamptz: 1184, interval: 1186 }
const ARRAY_OID = {
  name: 1003,
  text: 1009,
  bigint: 1016,
  timestamp: 1115,
  date: 1182,
  timestamptz: 1185,
  interval: 1187,
  numeric: 1231
}

type Parser = (text: string) => unknown

const parseAnyArray = pg.types.getTypeParser(ARRAY_OID.text as never, 'text') as unknown as (
  text: string
) => (string | null)[]

const PARSERS = new Map<number, Parser>([
  [OID.bigint, toSafeNumber],
  [OID.date, toDate],
  [OID.timestamp, toDate],
  [OID.timestamptz, toDate],
  [OID.interval, asItIs],
  [ARRAY_OID.name, parseArray],
  [ARRAY_OID.text, parseArray],
  [ARRAY_OID.bigint, arrayOf(toSafeNumber)],
  [ARRAY_OID.date, arrayOf(toDate)],
  [ARRAY_OID.timestamp, arrayOf(toDate)],
  [ARRAY_OID.timestamptz, arrayOf(toDate)],
  [ARRAY_OID.interval, parseArray],
  [ARRAY_OID.numeric, parseArray]
])

export const TYPES = {
  getTypeParser: (oid: number, format: 'text' | 'binary' = 'text') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')
}

function arrayOf(parse: Parser): Parser {
  return (text) => parseArray(text).map((item) => (item === null ? null : parse(item)))
}

const HAS_QUOTES_OR_ARRAYS = /["{]/

/** The parser of node-postgres goes character by character. Most arrays have neither quotes nor arrays inside. */
function parseArray(text: string): (string | null)[] {
  const items = text.slice(1, -1)
  if (items === '') return []
  // Behind a bracket stand the bounds of an array that does not begin at 1.
  if (text.startsWith('[') || HAS_QUOTES_OR_ARRAYS.test(items)) return parseAnyArray(text)
  return items.split(',').map((item) => (item === 'NULL' ? null : item))
}

/** Ids, counts and credits are far below 2^53; JSON could not carry more anyway. */
function toSafeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`The database holds ${text}, which a JSON number can't carry.`)
  return value
}

function toDate(text: string): Date {
  return new Date(text)
}

function asItIs(text: string): string {
  return text
}
