import type { Sql } from './database.ts'

/*
 * One clock decides: the database's. The clock of a host may be minutes off, and must not be compared with a time that
 * the database wrote down. So a process reads the database's clock now and then, and counts on from there by its own
 * monotonic clock, which nobody sets. A process has one database, and so one clock.
 */

/** A slow reading, on a busy host, is less exact: of so many, the quickest counts. */
const READINGS = 3

let reading: { databaseMs: number; atMs: number } | undefined

/** The time by the database's clock, too early by the way of one answer. Before the first reading, the host's. */
export function databaseNow(): Date {
  return new Date(databaseNowMs())
}

/** The same in milliseconds since 1970: a comparison of dates is slow. */
export function databaseNowMs(): number {
  return reading ? reading.databaseMs + performance.now() - reading.atMs : Date.now()
}

export async function readDatabaseClock(sql: Sql): Promise<void> {
  let quickestMs = Number.POSITIVE_INFINITY
  for (let count = 0; count < READINGS; count++) {
    const askedMs = performance.now()
    const [row] = await sql<[{ ms: number }]>`
      select extract(epoch from clock_timestamp())::double precision * 1000 as ms
    `
    const atMs = performance.now()
    if (atMs - askedMs >= quickestMs) continue
    quickestMs = atMs - askedMs
    reading = { databaseMs: row.ms, atMs }
  }
}

/** When a transaction began, by the database's clock; a date has milliseconds, so it is rounded up. */
export async function readTransactionTime(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ at: Date }]>`
    select date_trunc('milliseconds', now()) + interval '1 millisecond' as at
  `
  return row.at
}
