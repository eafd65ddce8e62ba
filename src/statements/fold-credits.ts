import type { BalanceKey } from '../credits/balance.ts'
import { type Database, liftStatementTimeout, lookUpOnly, type Pool } from '../database/database.ts'
import { Failures } from '../workers/failures.ts'
import { foldEntries, listUnfolded, lockProgress } from './figures.store.ts'

/** Balances per turn, and entries per transaction. */
const BALANCES = 200
const ENTRIES = 10_000

/** Adds new entries to the figures of credits, of some balances at a time. */
export async function foldCredits(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const unfolded = await listUnfolded(pool, BALANCES)
  let isMoreDue = unfolded.length === BALANCES
  const failures = new Failures()
  for (const key of unfolded) {
    const isWhole = await failures.try(() => pool.begin((database) => foldBalance(database, key, { isWaiting: false })))
    isMoreDue = !isWhole || isMoreDue
  }
  failures.throwFirst()
  return { isMoreDue }
}

/** Adds all entries of a balance, however many. It waits for another process that adds them. */
export async function foldWhole(pool: Pool, key: BalanceKey): Promise<void> {
  while (!(await pool.begin((database) => foldBalance(database, key, { isWaiting: true }))));
}

/** Whether all entries of the balance are in the figures, or another process adds them. */
export async function foldBalance(
  database: Database,
  key: BalanceKey,
  { isWaiting }: { isWaiting: boolean }
): Promise<boolean> {
  await liftStatementTimeout(database)
  // Otherwise all reservations are read for each 10,000 entries: of a million, that took half a second.
  await lookUpOnly(database)
  const after = await lockProgress(database, key, { isWaiting })
  if (after === undefined) return true
  const { position, entryCount } = await foldEntries(database, key, { after, limit: ENTRIES })
  return position === entryCount
}
