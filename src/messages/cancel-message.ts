import { MESSAGE_TYPES } from '../credits/credit.ts'
import { refundCredits, settleCredits } from '../credits/ledger.ts'
import type { Database } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { referenceOf } from './accept-messages.ts'
import { deleteScheduled, deleteWaitingBatches, listSubmitting } from './batches.store.ts'
import { type Message, MessageView, messageExample, toMessageView } from './message.ts'
import { recordMessageStates } from './message-events.ts'
import { lockMessage, type MessageKey, updateToCancelled } from './messages.store.ts'
import { sumWaiting, updateToSubmitting } from './recipients.store.ts'
import { insertCancelledEvents } from './status-events.store.ts'

export const cancelMessage = operation({
  route: 'PUT /messages/{id}/cancel',
  id: 'cancelMessage',
  tag: 'Messages',
  summary: 'Cancel a message',
  description:
    'Cancels all of a message that is scheduled, and of one that is being sent whatever has not been handed to a carrier yet. The credits of what was cancelled come back, once.',
  answer: MessageView,
  example: { answer: { ...messageExample, state: 'cancelled' } },
  refusals: { state_conflict: 'Nothing of it is left to cancel, or the Idempotency-Key is in use.' },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    const message = await database.begin((database) => cancel(database, key))
    return toMessageView(message, caller.timeZone)
  }
})

/**
 * Under the lock of the message nobody submits a recipient of it: what waits now is what is cancelled, and what is counted
 * is what is given back.
 */
async function cancel(database: Database, key: MessageKey): Promise<Message> {
  // Before the message, as whoever begins scheduled messages takes them: two in opposite order would wait for ever.
  await deleteScheduled(database, key)
  const message = await lockMessage(database, key)
  if (!message) throw notFound('message')
  const isCancellable = message.state === 'scheduled' || message.state === 'sending'
  const submitting = isCancellable ? await listSubmitting(database, key) : []
  const waiting = isCancellable
    ? await sumWaiting(database, key, { except: submitting })
    : { recipients: 0, credits: 0 }
  if (waiting.recipients === 0) {
    throw new Refusal(409, 'state_conflict', `Nothing is left to cancel: the message is ${message.state}.`)
  }
  await deleteWaitingBatches(database, key)
  // From now on, whoever waits is shown as cancelled: those that are on their way must be told apart.
  await updateToSubmitting(database, key, submitting)
  const reservation = {
    accountId: key.accountId,
    messageType: MESSAGE_TYPES[message.channel],
    reference: referenceOf(key.id)
  }
  await refundCredits(database, { ...reservation, part: 'cancelled', amount: waiting.credits })
  const cancelled = await updateToCancelled(database, {
    ...key,
    cancelled: waiting.recipients,
    refunded: waiting.credits
  })
  if (cancelled.waitingCount === 0) await settleCredits(database, reservation)
  await insertCancelledEvents(database, key, { except: submitting })
  await recordMessageStates(database, [{ accountId: key.accountId, messageId: key.id }])
  return cancelled
}
