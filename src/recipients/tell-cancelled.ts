import type { Database, Pool } from '../database/database.ts'
import type { Message } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { recordCancelled, wantsStatuses } from './status-events.ts'
import {
  deleteUntoldCancel,
  insertUntoldCancel,
  lockUntoldCancel,
  takeTurn,
  updateToldTo
} from './untold-cancels.store.ts'

/*
 * Status events of cancelled recipients. Those of a million would hold the message, and its batches, for minutes: the cancel
 * commits without them, and they follow in slices. A slice stores its events and its progress by one transaction, so a crash
 * neither loses an event nor repeats one. A cancelled recipient does not move any more, so nothing overtakes its event.
 */

/** Positions of a slice. A message with no more recipients is told by the cancel's own transaction. */
const SLICE = 2_000

/** In the transaction of the cancel: tells of a small message at once, and notes a large one for the worker. */
export async function tellSoon(
  database: Database,
  key: MessageKey,
  { message, except }: { message: Pick<Message, 'channel' | 'recipientsCount'>; except: readonly number[] }
): Promise<void> {
  const { channel, recipientsCount } = message
  if (!(await wantsStatuses(database, { accountId: key.accountId, channel }))) return
  if (recipientsCount > SLICE) {
    await insertUntoldCancel(database, { ...key, recipientsCount, exceptPositions: except })
    return
  }
  await recordCancelled(database, key, { channel, except, range: { after: 0, to: recipientsCount } })
}

/** Tells the next slice of some cancelled message. Messages take turns. */
export async function tellCancelled(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const key = await takeTurn(pool)
  if (!key) return { isMoreDue: false }
  await pool.begin((database) => tellSlice(database, key))
  return { isMoreDue: true }
}

async function tellSlice(database: Database, key: MessageKey): Promise<void> {
  const cancel = await lockUntoldCancel(database, key)
  if (!cancel) return
  const { channel, recipientsCount, exceptPositions: except, toldTo } = cancel
  const to = Math.min(recipientsCount, toldTo + SLICE)
  // The account may have removed its webhook meanwhile.
  const isTold = channel !== null && (await wantsStatuses(database, { accountId: key.accountId, channel }))
  if (isTold) await recordCancelled(database, key, { channel, except, range: { after: toldTo, to } })
  if (!isTold || to >= recipientsCount) await deleteUntoldCancel(database, key)
  else await updateToldTo(database, { ...key, toldTo: to })
}
