import type { Database } from '../database/database.ts'
import { listSubmitting } from './batches.store.ts'
import { lockMessage } from './messages.store.ts'
import { updateStates } from './moves.store.ts'
import { countMoves } from './moves.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { listWaitingByPhone } from './recipients.store.ts'
import { insertSteps } from './timeline.store.ts'

/**
 * Takes somebody who said STOP out of everything of an account that is not yet handed over, with the credits back. Under the
 * lock of each message nobody submits a recipient of it, as for a cancel.
 */
export async function stopRecipients(
  database: Database,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  for (const { messageId: id, position } of await listWaitingByPhone(database, { accountId, phone })) {
    const message = await lockMessage(database, { accountId, id })
    if (message?.state !== 'scheduled' && message?.state !== 'sending') continue
    if ((await listSubmitting(database, { accountId, id })).includes(position)) continue
    const key = { accountId, messageId: id, position }
    const moved = await updateStates(database, [
      { ...key, from: RECIPIENT_STATES.waiting, to: RECIPIENT_STATES.stopped, errorCode: null }
    ])
    await insertSteps(
      database,
      moved.map((move) => ({ ...move, step: 'stopped', detail: 'The number opted out by a reply.', carrier: null }))
    )
    await countMoves(
      database,
      moved.map((move) => ({ ...move, refund: move.credits }))
    )
  }
}
