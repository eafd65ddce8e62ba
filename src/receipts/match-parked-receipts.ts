import type { CarrierHistory } from '../carriers/history.ts'
import type { Pool } from '../database/database.ts'
import { claimParked, deleteParked, updateParked } from '../submissions/parked-receipts.store.ts'
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
  return pool.begin(async (database) => {
    const due = await claimParked(database, BATCH)
    if (due.length === 0) return { isMoreDue: false }
    const { matched, unmatched } = await applyReceipts(database, due, idForms, history)
    await deleteParked(
      database,
      matched.map(({ id }) => id)
    )
    await updateParked(
      database,
      unmatched.map(({ id, tries }) => ({ id, nextTrySeconds: RETRY_SECONDS[tries + 1] }))
    )
    return { isMoreDue: due.length === BATCH }
  })
}
