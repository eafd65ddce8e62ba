import type { Database } from '../database/database.ts'
import type { Message } from '../messages/message.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { insertReceipts, type ReachedState, WANTS } from '../smpp-outbox/outbox.store.ts'
import { BIND_EVENTS } from '../webhooks/bind-subscriptions.store.ts'
import { listSubscribers, type Subscribers } from '../webhooks/events.store.ts'
import type { Moved } from './move.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { listWaitingBetween } from './waiting-recipients.store.ts'

/* Receipts for the SMPP binds of an account, in the transaction that moved the recipient. */

/** What a state is to a submit that asked for receipts; other states cause none. */
const WANTS_BY_STATE: Readonly<Record<number, number>> = {
  [RECIPIENT_STATES.sent]: WANTS.intermediate,
  [RECIPIENT_STATES.delivered]: WANTS.success,
  [RECIPIENT_STATES.failed]: WANTS.failure,
  [RECIPIENT_STATES.expired]: WANTS.failure,
  [RECIPIENT_STATES.rejected]: WANTS.failure,
  [RECIPIENT_STATES.stopped]: WANTS.failure,
  [RECIPIENT_STATES.cancelled]: WANTS.failure
}

/** Only for accounts that have credentials. */
export async function recordBindReceipts(
  database: Database,
  moved: readonly Moved[],
  subscribers: Subscribers
): Promise<void> {
  const accounts = subscribers.get(BIND_EVENTS)
  if (!accounts) return
  await insertReceipts(
    database,
    moved.flatMap(({ accountId, messageId, position, to }): ReachedState[] => {
      const want = WANTS_BY_STATE[to]
      return want !== undefined && accounts.has(accountId) ? [{ accountId, messageId, position, state: to, want }] : []
    })
  )
}

/** A bind submits to at most 254 numbers at once, so a larger message was not submitted by one. */
const RECIPIENTS_MAX = 254

/** Cancelled recipients do not move: their message tells that they are cancelled. */
export async function recordCancelReceipts(
  database: Database,
  { accountId, id: messageId }: MessageKey,
  { message, except }: { message: Pick<Message, 'recipientsCount'>; except: readonly number[] }
): Promise<void> {
  const { recipientsCount } = message
  if (recipientsCount > RECIPIENTS_MAX) return
  if ((await listSubscribers(database, { type: BIND_EVENTS, accountIds: [accountId] })).size === 0) return
  const waiting = await listWaitingBetween(database, { accountId, id: messageId }, { after: 0, to: recipientsCount })
  const state = RECIPIENT_STATES.cancelled
  await insertReceipts(
    database,
    waiting
      .filter((position) => !except.includes(position))
      .map((position) => ({ accountId, messageId, position, state, want: WANTS.failure }))
  )
}
