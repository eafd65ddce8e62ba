import { strict as assert } from 'node:assert'
import type { Database } from '../../src/database/database.ts'
import { checkCredits } from '../../src/statements/check-statements.ts'

/** Every promise of the ledger holds on this database. */
export async function assertLedgerHolds(database: Database): Promise<void> {
  for (const { promise, violations } of await checkCredits(database)) assert.deepEqual([...violations], [], promise)
}
