import { MESSAGE_TYPES } from '../credits/credit.ts'
import { listReservationPayers } from '../credits/reservations.store.ts'
import { refundCredits } from '../credits/reservations.ts'
import type { Database, Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { deliveredReferenceOf, referenceOf } from '../messages/reservation.ts'
import { NO_TOTALS, updateMessageTotals } from '../messages/totals.store.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import {
  COVERED_MAX,
  type Conversation,
  type Covered,
  claimDueConversation,
  insertCharges,
  listCovered,
  lockConversationsOf,
  putOffSettling,
  updateSettled
} from './rcs-conversations.store.ts'

/*
 * Every RCS takes its own price when it is accepted. The RCS that a conversation covers take the price of the conversation
 * together, at most: the rest comes back, once the phone has them. What was delivered stays so, and never falls back or comes
 * back by other ways. The sum does not depend on the order in which replies, reports and acceptances come.
 */

const CONVERSATIONS_MAX = 100
const TRIES_MAX = 4

/**
 * Settles conversations that are due, one transaction each. One that can't be settled is put off: it has had its turn, and does
 * not hold up the others.
 */
export async function settleConversations(pool: Pool): Promise<{ isMoreDue: boolean }> {
  const errors: unknown[] = []
  let isMoreDue = true
  for (let count = 0; count < CONVERSATIONS_MAX && isMoreDue; count++) {
    let claimed: Conversation | undefined
    try {
      await retryBusy(TRIES_MAX, () =>
        pool.begin(async (database) => {
          claimed = await claimDueConversation(database)
          if (claimed) await settle(database, claimed)
        })
      )
    } catch (error) {
      if (!claimed) throw error
      await putOffSettling(pool, claimed)
      errors.push(error)
    }
    isMoreDue = claimed !== undefined
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} conversations could not be settled`)
  return { isMoreDue }
}

/** Settles all that the conversations with a person cover by now. The caller has locked the recipients. */
export async function settleConversationsOf(
  database: Database,
  person: Pick<Conversation, 'accountId' | 'phone'>
): Promise<void> {
  for (const conversation of await lockConversationsOf(database, person)) {
    let { charged } = conversation
    let isMoreDue = true
    while (isMoreDue) ({ charged, isMoreDue } = await settle(database, { ...conversation, charged }))
  }
}

async function settle(
  database: Database,
  conversation: Conversation
): Promise<{ charged: number; isMoreDue: boolean }> {
  const charges = chargeEach(conversation, await listCovered(database, conversation))
  if (charges.length > 0) await store(database, conversation, charges)
  const settled = {
    charged: charges.at(-1)?.chargedSoFar ?? conversation.charged,
    isMoreDue: charges.length >= COVERED_MAX
  }
  await updateSettled(database, conversation, settled)
  return settled
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
  // An RCS that fell back, and arrived after all, was charged again under a name of its own.
  const arrived = refunds.map((one) => ({ ...toKey(accountId), reference: deliveredReferenceOf(one) }))
  const isCharged = new Set((await listReservationPayers(database, arrived)).map(({ reference }) => reference))
  for (const { messageId, position, refunded: amount, country } of refunds) {
    const again = deliveredReferenceOf({ messageId, position })
    const key = { ...toKey(accountId), reference: isCharged.has(again) ? again : referenceOf(messageId) }
    const part = `conversation, recipient ${position}`
    await refundCredits(database, { ...key, part, amount, countries: { [country]: amount } })
  }
}

function toKey(accountId: number) {
  return { accountId, messageType: MESSAGE_TYPES.rcs }
}
