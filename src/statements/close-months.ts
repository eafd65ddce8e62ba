import { findAccount, findOperatorId } from '../accounts/accounts.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database, Pool } from '../database/database.ts'
import { Failures } from '../workers/failures.ts'
import { findFirstDay } from './figures.store.ts'
import { foldWhole } from './fold-credits.ts'
import type { Issuer } from './issuer.ts'
import { endOf, nextMonth } from './month.ts'
import {
  findLastClosed,
  findStatement,
  hasOlderTransaction,
  insertClosedMonth,
  insertStatement,
  listMessageTypes,
  listWithoutStatement,
  lockSeries
} from './statements.store.ts'
import { isEmptyMonth, sumMonth } from './sum-month.ts'

/** A month is closed this long after its end: longer than any work of the service takes. */
const GRACE_MS = 3_600_000
/** Accounts per turn. */
const BATCH = 100

export interface ClosingParts {
  issuer: Issuer
  now?(): Date
}

/**
 * Closes the oldest month that is over and has accounts without their statement, some accounts at a time. Of several processes one
 * does it. Each statement is a transaction, which also draws its number: a process that dies leaves the rest to the next turn.
 */
export async function closeMonths(
  pool: Pool,
  { issuer, now = databaseNow }: ClosingParts
): Promise<{ isMoreDue: boolean }> {
  const month = await findDueMonth(pool, now())
  if (month === undefined) return { isMoreDue: false }
  const issuerId = await findOperatorId(pool)
  if (issuerId === undefined || (await hasOlderTransaction(pool, endOf(month)))) return { isMoreDue: false }
  const failures = new Failures()
  let afterId = 0
  for (;;) {
    const accountIds = await listWithoutStatement(pool, { month, afterId, limit: BATCH })
    for (const accountId of accountIds) {
      const isClosed = await failures.try(() => closeAccount(pool, { accountId, month, issuerId, issuer }))
      // Another process closes this month.
      if (isClosed === false) return { isMoreDue: false }
    }
    afterId = accountIds.at(-1) ?? 0
    if (accountIds.length < BATCH) break
  }
  // The month stays open for a statement that could not be written.
  failures.throwFirst()
  await insertClosedMonth(pool, month)
  return { isMoreDue: true }
}

/** The month after the last closed one, if it is over. */
async function findDueMonth(pool: Pool, now: Date): Promise<string | undefined> {
  const last = await findLastClosed(pool)
  const month = last === undefined ? (await findFirstDay(pool))?.slice(0, 7) : nextMonth(last)
  if (month === undefined || endOf(month).getTime() + GRACE_MS > now.getTime()) return undefined
  return month
}

interface Due {
  accountId: number
  month: string
  issuerId: number
  issuer: Issuer
}

/** False if another process has the numbers. */
async function closeAccount(pool: Pool, due: Due): Promise<boolean> {
  const { accountId } = due
  // Beforehand, so that nobody waits for the numbers meanwhile.
  for (const messageType of await listMessageTypes(pool, accountId)) {
    await foldWhole(pool, { accountId, messageType })
  }
  return pool.begin((database) => writeStatement(database, due))
}

async function writeStatement(database: Database, { accountId, month, issuerId, issuer }: Due): Promise<boolean> {
  const last = await lockSeries(database, issuerId)
  if (last === undefined) return false
  if (await findStatement(database, accountId, month)) return true
  // Entries that are not in the figures yet are summed up too: the month has all of its entries.
  const sums = await sumMonth(database, accountId, month)
  if (isEmptyMonth(sums)) return true
  const account = await findAccount(database, accountId)
  const statement = {
    accountId,
    month,
    issuerId,
    number: last + 1,
    accountName: account?.socialReason ?? '',
    issuerName: issuer.name,
    issuerAddress: issuer.address
  }
  await insertStatement(database, statement, sums)
  return true
}
