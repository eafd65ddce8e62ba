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

const parseTextArray = pg.types.getTypeParser(ARRAY_OID.text as never, 'text') as unknown as (
  text: string
) => (string | null)[]

const PARSERS = new Map<number, Parser>([
  [OID.bigint, toSafeNumber],
  [OID.date, toDate],
  [OID.timestamp, toDate],
  [OID.timestamptz, toDate],
  [OID.interval, asItIs],
  [ARRAY_OID.name, arrayOf(asItIs)],
  [ARRAY_OID.bigint, arrayOf(toSafeNumber)],
  [ARRAY_OID.date, arrayOf(toDate)],
  [ARRAY_OID.timestamp, arrayOf(toDate)],
  [ARRAY_OID.timestamptz, arrayOf(toDate)],
  [ARRAY_OID.interval, arrayOf(asItIs)],
  [ARRAY_OID.numeric, arrayOf(asItIs)]
])

export const TYPES = {
  getTypeParser: (oid: number, format: 'text' | 'binary' = 'text') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')
}

function arrayOf(parse: Parser): Parser {
  return (text) => parseTextArray(text).map((item) => (item === null ? null : parse(item)))
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
