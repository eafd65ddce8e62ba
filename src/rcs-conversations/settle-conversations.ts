import { MESSAGE_TYPES } from '../credits/credit.ts'
import { refundCredits } from '../credits/ledger.ts'
import type { Database, Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { referenceOf } from '../messages/reservation.ts'
import { NO_TOTALS, updateMessageTotals } from '../messages/totals.store.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import {
  type Conversation,
  type Covered,
  claimDueConversation,
  insertCharges,
  listCovered,
  updateSettled
} from './rcs-conversations.store.ts'

/*
 * Every RCS takes its own price when it is accepted. The RCS that a conversation covers take the price of the conversation
 * together, at most: the rest comes back, once the phone has them. What was delivered stays so, and never falls back or comes
 * back by other ways. The sum does not depend on the order in which replies, reports and acceptances come.
 */

const CONVERSATIONS_MAX = 100
const TRIES_MAX = 4

/** Settles conversations that are due, one transaction each. */
export async function settleConversations(pool: Pool): Promise<{ isMoreDue: boolean }> {
  for (let count = 0; count < CONVERSATIONS_MAX; count++) {
    const isAny = await retryBusy(TRIES_MAX, () => pool.begin(settleNext))
    if (!isAny) return { isMoreDue: false }
  }
  return { isMoreDue: true }
}

async function settleNext(database: Database): Promise<boolean> {
  const conversation = await claimDueConversation(database)
  if (!conversation) return false
  const covered = await listCovered(database, conversation)
  const charges = chargeEach(conversation, covered)
  if (charges.length > 0) await store(database, conversation, charges)
  await updateSettled(database, conversation, charges.at(-1)?.chargedSoFar ?? conversation.charged)
  return true
}

interface Charge extends Covered {
  charged: number
  refunded: number
  chargedSoFar: number
}

/** The first ones pay, until the price of the conversation is reached. */
export function chargeEach(
  { price, charged: before }: Pick<Conversation, 'price' | 'charged'>,
  covered: readonly Covered[]
): Charge[] {
  let chargedSoFar = before
  return covered.map((one) => {
    const charged = Math.min(one.credits, price - chargedSoFar)
    chargedSoFar += charged
    return { ...one, charged, refunded: one.credits - charged, chargedSoFar }
  })
}

async function store(database: Database, conversation: Conversation, charges: readonly Charge[]): Promise<void> {
  const { accountId } = conversation
  await insertCharges(database, conversation, charges)
  const refunds = charges.filter(({ refunded }) => refunded > 0)
  await insertSteps(
    database,
    refunds.map(({ messageId, position, refunded }) => {
      const detail = `A conversation covers it: ${refunded} RCS ${refunded === 1 ? 'credit' : 'credits'} refunded.`
      return { accountId, messageId, position, step: 'covered', detail, carrier: null }
    })
  )
  const byMessage = Map.groupBy(refunds, ({ messageId }) => messageId)
  await updateMessageTotals(
    database,
    [...byMessage].map(([messageId, ofMessage]) => {
      return { ...NO_TOTALS, accountId, messageId, refunded: ofMessage.reduce((sum, one) => sum + one.refunded, 0) }
    })
  )
  for (const { messageId, position, refunded: amount, country } of refunds) {
    const key = { accountId, messageType: MESSAGE_TYPES.rcs, reference: referenceOf(messageId) }
    const part = `conversation, recipient ${position}`
    await refundCredits(database, { ...key, part, amount, countries: { [country]: amount } })
  }
}
