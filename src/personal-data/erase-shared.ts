import { deleteCapabilitiesOfPhone } from '../carriers/rcs-capabilities.store.ts'
import type { Database } from '../database/database.ts'
import { isAnyWaitingAbout } from '../rbm-events/rbm-events.store.ts'
import { eraseParked } from '../submissions/parked-receipts.store.ts'

/**
 * Erases a number from carriers' data, which belongs to no account: its RCS capability, and receipts without a match. A report
 * that is still being worked on may be about a message of another account, and stays until then: `isUnderWay` is true, and the
 * caller must look again. An RCS event loses its text when it is done.
 */
export async function eraseShared(database: Database, phone: string): Promise<{ isUnderWay: boolean }> {
  await deleteCapabilitiesOfPhone(database, phone)
  const { isAnyTried } = await eraseParked(database, phone)
  return { isUnderWay: isAnyTried || (await isAnyWaitingAbout(database, phone)) }
}
