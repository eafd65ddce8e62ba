import { strict as assert } from 'node:assert'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { lockBalancesOf, refundCredits, settleCredits } from '../credits/reservations.ts'
import type { Database } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { insertUncounted } from '../limits/caps.store.ts'
import type { Message } from '../messages/message.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { findMessage, type MessageKey, updateToCancelled } from '../messages/messages.store.ts'
import { referenceOf } from '../messages/reservation.ts'
import { deleteWaitingBatches, listSubmitting } from '../queue/batches.store.ts'
import { recordCancelReceipts } from '../recipients/bind-receipts.ts'
import { recordCancelEvents } from '../recipients/cancel-events.ts'
import type { Move } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { updateToSubmitting } from '../recipients/moves.store.ts'
import { listMaybeAtPlatform } from '../recipients/rcs-moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { refuseHalfCommitted } from '../recipients/recipient-locks.store.ts'
import { listWaitingFallbacks, sumWaiting } from '../recipients/waiting-recipients.store.ts'
import { updateWaitsToCancelled } from '../recipients/waits.store.ts'
import { deleteWaitingDeparture } from './departures.store.ts'
import { lockForChange } from './lock-for-change.ts'

/** An RCS message may be changing in many places. */
export const CANCEL_TRIES_MAX = 3

/**
 * Cancels the recipients of a message that have not left. Under the locks of the message no recipient of it is submitted. So the recipients that wait now are cancelled, and
 * the credits summed now are refunded.
 */
export async function cancel(database: Database, key: MessageKey): Promise<Message> {
  const message = await lockForChange(database, key)
  if (await deleteWaitingDeparture(database, key)) return cancelDeparture(database, key)
  const isRcs = message.channel === 'rcs'
  const isCancellable =
    message.state === 'scheduled' || message.state === 'sending' || (isRcs && message.state === 'sent')
  if (isCancellable) await refuseHalfCommitted(database, key, message)
  const submitting = isCancellable ? await listSubmitting(database, key) : []
  const ofMessage = { accountId: key.accountId, messageId: key.id }
  const maybeAtPlatform =
    isCancellable && isRcs ? await listMaybeAtPlatform(database, { ...ofMessage, except: submitting }) : []
  const waiting = isCancellable
    ? await sumWaiting(database, key, { except: [...submitting, ...maybeAtPlatform] })
    : { recipients: 0, credits: 0, creditsByCountry: {} }
  const fallbacks = isCancellable && isRcs ? await listWaitingFallbacks(database, key, { except: submitting }) : []
  // RCS that have left and are not delivered: they are revoked soon.
  const revocable = isCancellable && isRcs ? await updateWaitsToCancelled(database, key) : 0
  // RCS that are on their way at this moment are revoked once the platform has them.
  const underWay = isRcs ? submitting.length : 0
  if (waiting.recipients + fallbacks.length + revocable + maybeAtPlatform.length + underWay === 0) {
    throw new Refusal(409, 'state_conflict', `Nothing is left to cancel: the message is ${message.state}.`)
  }
  await deleteWaitingBatches(database, key)
  // From now on waiting recipients are shown as cancelled: positions on their way need a state of their own.
  await updateToSubmitting(database, { ...ofMessage, positions: submitting })
  const reservation = {
    accountId: key.accountId,
    messageType: MESSAGE_TYPES[message.channel],
    reference: referenceOf(key.id)
  }
  if (isRcs) await lockBalancesOf(database, [reservation])
  if (waiting.credits > 0) {
    const { credits: amount, creditsByCountry: countries } = waiting
    await refundCredits(database, { ...reservation, part: 'cancelled', amount, countries })
  }
  await updateToCancelled(database, { ...key, cancelled: waiting.recipients, refunded: waiting.credits })
  // People who opted out got nothing either.
  const isWhole = waiting.recipients + message.stoppedCount === message.recipientsCount
  if (isWhole && message.category === 'marketing') await insertUncounted(database, ofMessage)
  await moveRecipients(database, [
    ...fallbacks.map((position): Move => ({ ...CANCELLED, ...ofMessage, position })),
    ...maybeAtPlatform.map((position): Move => ({ kind: 'withdrawn', ...ofMessage, position }))
  ])
  if (waiting.recipients > 0) {
    await recordCancelEvents(database, key, { message, except: submitting })
    await recordCancelReceipts(database, key, { message, except: submitting })
  }
  const cancelled = await findMessage(database, key)
  assert(cancelled)
  if (cancelled.waitingCount === 0) await settleCredits(database, reservation)
  if (cancelled.state !== message.state) {
    await recordMessageStates(database, [ofMessage])
  }
  return cancelled
}

/** Cancels a message that has yet to get its recipients: no credits were taken for it. */
async function cancelDeparture(database: Database, key: MessageKey): Promise<Message> {
  const message = await updateToCancelled(database, { ...key, cancelled: 0, refunded: 0 })
  await recordMessageStates(database, [{ accountId: key.accountId, messageId: key.id }])
  return message
}

/** The move of a fallback SMS that has not left. It has credits of its own. */
const CANCELLED = {
  kind: 'decided',
  from: RECIPIENT_STATES.waiting,
  to: RECIPIENT_STATES.cancelled,
  errorCode: null,
  refund: 'all'
} as const
