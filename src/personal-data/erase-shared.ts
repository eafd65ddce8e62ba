import { deleteCapabilitiesOfPhone } from '../carriers/rbm/capabilities.store.ts'
import type { Database } from '../database/database.ts'
import { isAnyWaitingAbout } from '../rbm-events/rbm-events.store.ts'
import { eraseParked } from '../receipts/receipts.store.ts'

/**
 * Takes a number out of what carriers told us, which is no account's own: whether it can do RCS, and receipts that matched
 * nothing. What is still being worked on may be about a message of another account, and stays until it is done: then
 * `isUnderWay`, and somebody has to look again. An RCS event loses its text when it is done.
 */
export async function eraseShared(database: Database, phone: string): Promise<{ isUnderWay: boolean }> {
  await deleteCapabilitiesOfPhone(database, phone)
  const { isAnyTried } = await eraseParked(database, phone)
  return { isUnderWay: isAnyTried || (await isAnyWaitingAbout(database, phone)) }
}
