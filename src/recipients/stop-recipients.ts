import type { Database } from '../database/database.ts'
import { lockMessages } from '../messages/messages.store.ts'
import { listSubmittingOf } from '../queue/batches.store.ts'
import { lockAgainstSubmitting } from '../queue/submit-locks.store.ts'
import type { StopWay } from '../stops/stop.ts'
import type { Move } from './move.ts'
import { moveRecipients } from './move-recipients.ts'
import type { Step } from './timeline.store.ts'
import { listWaitingByPhone } from './waiting-recipients.store.ts'

/**
 * At most so many messages are handled here. In further messages the recipient is dropped when its batch is due, like a
 * number that joins a list after its STOP.
 */
const MESSAGES_MAX = 100

/**
 * Takes a phone that replied STOP out of all messages of some accounts that are not handed over yet, and refunds the
 * credits. As for a cancel, the locks of the messages keep their recipients from being submitted.
 *
 * All messages are locked before anything moves, in the order of their ids. The answered messages are locked too: the
 * caller counts the reply later. Accounts may share a balance. Locking the messages of one account after moving credits
 * of another could deadlock with a cancel.
 */
export async function stopRecipients(
  database: Database,
  {
    phone,
    conversations,
    way
  }: {
    phone: string
    conversations: readonly { accountId: number; messageId: number | null }[]
    way: StopWay
  }
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
      .map((recipient): Move => ({ ...recipient, kind: 'dropped', ending: 'stopped', step: toStep(way) }))
  )
}

function toStep(way: StopWay): Step {
  return { step: 'stopped', detail: `The number opted out ${WORDS[way]}.`, carrier: null }
}

const WORDS: Record<StopWay, string> = {
  reply: 'by a reply',
  link: 'by a link',
  button: 'by a button',
  platform: 'in the menu of its RCS app',
  manual: 'by hand',
  file: 'by a file'
}
