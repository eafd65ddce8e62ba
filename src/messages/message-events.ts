import type { Database } from '../database/database.ts'
import { listSubscribers, recordEvents } from '../webhooks/events.store.ts'
import { toMessageView } from './message-view.ts'
import { listMessagesWithZone } from './messages.store.ts'

/**
 * Records `message_state` events for messages that have just changed state, in the same transaction. Only for accounts
 * that subscribe: those that are known to, or else those that the database lists.
 */
export async function recordMessageStates(
  database: Database,
  keys: readonly { accountId: number; messageId: number }[],
  known?: ReadonlySet<number>
): Promise<void> {
  if (keys.length === 0) return
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))]
  const subscribers = known ?? (await listSubscribers(database, { type: 'message_state', accountIds }))
  const subscribed = keys.filter(({ accountId }) => subscribers.has(accountId))
  if (subscribed.length === 0) return
  const messages = await listMessagesWithZone(database, subscribed)
  await recordEvents(
    database,
    messages.map(({ accountId, timeZone, trace, ...message }) => ({
      accountId,
      type: 'message_state',
      trace,
      record: { message_id: message.id, ...toMessageView(message, timeZone) }
    }))
  )
}
