import type { Database } from '../database/database.ts'
import { lockMessages } from '../messages/messages.store.ts'
import { listSubmittingOf } from '../queue/batches.store.ts'
import { lockAgainstSubmitting } from '../queue/submit-locks.store.ts'
import type { Move } from './move.ts'
import { moveRecipients } from './move-recipients.ts'
import { listWaitingByPhone } from './recipients.store.ts'

/** Of more messages than this, the rest is dropped when its time comes, as for whoever is added to a list after a STOP. */
const MESSAGES_MAX = 100

/**
 * Takes a phone that said STOP out of everything of some accounts that is not yet handed over, with the credits back. Under
 * the locks of the messages nobody submits a recipient of them, as for a cancel. All are locked before anything is moved, in
 * the order of their ids, with the messages that were answered, which the caller counts later. Accounts may share a balance:
 * locking the messages of one after moving credits of another could deadlock with a cancel.
 */
export async function stopRecipients(
  database: Database,
  { phone, conversations }: { phone: string; conversations: readonly { accountId: number; messageId: number | null }[] }
): Promise<void> {
  const accountIds = conversations.map(({ accountId }) => accountId)
  const waiting = await listWaitingByPhone(database, { accountIds, phone, limit: MESSAGES_MAX })
  const ids = waiting.map(({ messageId }) => messageId)
  const answeredIds = conversations.flatMap(({ messageId }) => messageId ?? [])
  await lockAgainstSubmitting(database, ids)
  const live = await lockMessages(database, { accountIds, ids: [...ids, ...answeredIds] })
  if (waiting.length === 0) return
  const submitting = await listSubmittingOf(database, { accountIds, ids })
  await moveRecipients(
    database,
    waiting
      .filter(({ messageId, position }) => live.has(messageId) && !submitting.get(messageId)?.has(position))
      .map((recipient): Move => ({ ...recipient, kind: 'dropped', ending: 'stopped', step: OPTED_OUT }))
  )
}

const OPTED_OUT = { step: 'stopped', detail: 'The number opted out by a reply.', carrier: null }
