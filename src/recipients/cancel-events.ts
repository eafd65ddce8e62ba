import type { Database, Pool } from '../database/database.ts'
import type { Message } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { findStatusReceivers, recordCancelled } from './status-events.ts'
import {
  deleteUntoldCancel,
  insertUntoldCancel,
  lockUntoldCancel,
  takeTurn,
  updateToldTo
} from './untold-cancels.store.ts'

/*
 * Status events of cancelled recipients. A million events would lock the message and its batches for minutes. So the
 * cancel commits without them, and they follow in slices. One transaction stores the events of a slice and the
 * progress, so a crash neither loses nor repeats an event. A cancelled recipient does not move any more, so nothing
 * overtakes its event.
 */

/**
 * Positions of a slice. The cancel's own transaction stores the events of a message with no more recipients than this.
 */
const SLICE = 2_000

/**
 * In the transaction of the cancel: records the events of a small message at once, and leaves a large message to the
 * worker.
 */
export async function recordCancelEvents(
  database: Database,
  key: MessageKey,
  { message, except }: { message: Pick<Message, 'channel' | 'recipientsCount'>; except: readonly number[] }
): Promise<void> {
  const { channel, recipientsCount } = message
  const receivers = await findStatusReceivers(database, { accountId: key.accountId, channel })
  if (!receivers) return
  if (recipientsCount > SLICE) {
    await insertUntoldCancel(database, { ...key, recipientsCount, exceptPositions: except })
    return
  }
  await recordCancelled(database, key, { channel, receivers, except, range: { after: 0, to: recipientsCount } })
}

/** Records the next slice of events of a cancelled message. Messages take turns. */
export async function recordNextCancelEvents(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const key = await takeTurn(pool)
  if (!key) return { isMoreDue: false }
  await pool.begin((database) => recordSlice(database, key))
  return { isMoreDue: true }
}

async function recordSlice(database: Database, key: MessageKey): Promise<void> {
  const cancel = await lockUntoldCancel(database, key)
  if (!cancel) return
  const { channel, recipientsCount, exceptPositions: except, toldTo } = cancel
  const to = Math.min(recipientsCount, toldTo + SLICE)
  // The account may have removed its webhook meanwhile.
  const receivers =
    channel === null ? undefined : await findStatusReceivers(database, { accountId: key.accountId, channel })
  if (channel && receivers)
    await recordCancelled(database, key, { channel, receivers, except, range: { after: toldTo, to } })
  if (!receivers || to >= recipientsCount) await deleteUntoldCancel(database, key)
  else await updateToldTo(database, { ...key, toldTo: to })
}
