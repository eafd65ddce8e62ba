import type { CarrierHistory } from '../carriers/history.ts'
import type { Database, Pool } from '../database/database.ts'
import { claimParked, deleteParked, type ParkedReceipt, updateParked } from '../submissions/parked-receipts.store.ts'
import { workOnDue } from '../workers/work-on-due.ts'
import type { IdForms } from './id-forms.ts'
import { applyReceipts } from './record-receipts.ts'
import { RETRY_SECONDS } from './retries.ts'

const BATCH = 500

/** Tries again to match parked receipts. */
export async function matchParkedReceipts(
  pool: Pool,
  idForms: IdForms,
  history?: CarrierHistory
): Promise<{ isMoreDue: boolean }> {
  const count = await workOnDue<ParkedReceipt>(pool, {
    claim: (database, only) => claimParked(database, { limit: BATCH, only }),
    async work(database, due) {
      const { matched, unmatched } = await applyReceipts(database, due, idForms, history)
      await deleteParked(
        database,
        matched.map(({ id }) => id)
      )
      await putOff(database, unmatched)
    },
    putOff: (database, receipt) => putOff(database, [receipt])
  })
  return { isMoreDue: count === BATCH }
}

function putOff(database: Database, receipts: readonly ParkedReceipt[]): Promise<void> {
  return updateParked(
    database,
    receipts.map(({ id, tries }) => ({ id, nextTrySeconds: RETRY_SECONDS[tries + 1] }))
  )
}
