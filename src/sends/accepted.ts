import type { Static } from 'typebox'
import { MESSAGE_TYPE_NAMES, MESSAGE_TYPES } from '../credits/credit.ts'
import type { Reserve } from '../credits/reservations.ts'
import { creditsInWords, insufficientCredits, Refusal } from '../errors.ts'
import type { NewMessage } from '../messages/new-messages.store.ts'
import { referenceOf } from '../messages/reservation.ts'
import { senderOf } from './message-rows.ts'
import type { Plan } from './plan.ts'
import type { Send } from './send.ts'
import { describeDeparture, type SmsStatusView, toStatus } from './send-answer.ts'

/* The common end of sends of few and of many recipients: stored, or refused. */

export type Accepted = Static<typeof SmsStatusView>

export function reservationOf(send: Send, messageId: number, plan: Plan): Reserve {
  const { accountId, channel } = send
  const use = { sender: senderOf(send, plan), countries: plan.creditsByCountry }
  const { credits: amount } = plan.totals
  return { accountId, messageType: MESSAGE_TYPES[channel], reference: referenceOf(messageId), amount, use }
}

/** Whether the message begins to leave at once, which is an event. */
export function isBegun({ state }: NewMessage): boolean {
  return state === 'sending'
}

export function toStateKey({ accountId, id }: NewMessage) {
  return { accountId, messageId: id }
}

export function toAccepted(send: Send, plan: Plan, messageId: number, remaining: number): Accepted {
  return toStatus(plan, { messageId, remaining, message: describeDeparture(plan, send) })
}

/** One value, since callers compare with it. */
export const CONTESTED = new Refusal(
  409,
  'state_conflict',
  'A message with this external_id is being accepted; ask again.'
)

/**
 * The prices of a send are for the credits of one account, and another would pay by now: a sub-account spends its own credits, or
 * its parent's, since a moment. One value, since callers compare with it.
 */
export const PAYER_CHANGED = new Refusal(
  503,
  'unavailable',
  'Whose credits this account spends has just changed; ask again.',
  { retryAfterSeconds: 1 }
)

export function isForOtherPayer({ payerId }: Plan, paying: number | undefined): boolean {
  return payerId !== undefined && paying !== undefined && payerId !== paying
}

/** Refuses a send whose caller expects another price. */
export function refuseOtherPrice({ expectedCredits: expected, channel }: Send, { totals: { credits } }: Plan): void {
  if (expected === undefined || expected === credits) return
  const type = MESSAGE_TYPE_NAMES[MESSAGE_TYPES[channel]]
  const sentence = `This takes ${creditsInWords(credits, type)} now, and not ${expected}; nothing was sent.`
  throw new Refusal(409, 'state_conflict', sentence, {
    details: [
      { path: 'expected_credits', message: `is ${expected}, and the message takes ${creditsInWords(credits, type)}` }
    ]
  })
}

export function alreadyProcessed(): Refusal {
  // To the letter: clients in the field compare it.
  return new Refusal(409, 'external_id_already_processed', 'External ID already processed')
}

export function tooFewCredits(credits: { required: number; remaining: number }, { channel }: Send): Refusal {
  return insufficientCredits(credits, MESSAGE_TYPE_NAMES[MESSAGE_TYPES[channel]])
}
