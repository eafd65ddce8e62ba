import { strict as assert } from 'node:assert'
import { checkLedger } from '../../src/credits/check-ledger.ts'
import type { Database } from '../../src/database/database.ts'

/** Every promise of the ledger holds on this database. */
export async function assertLedgerHolds(database: Database): Promise<void> {
  for (const { promise, violations } of await checkLedger(database)) assert.deepEqual([...violations], [], promise)
}
