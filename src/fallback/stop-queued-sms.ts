import { MESSAGE_TYPES } from '../credits/credit.ts'
import type { ReservationKey } from '../credits/credits.store.ts'
import { lockBalancesOf, spendCredits } from '../credits/ledger.ts'
import type { Database } from '../database/database.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { deliveredReferenceOf, fallbackReferenceOf } from '../messages/reservation.ts'
import { lockUncancelled, type RecipientKey } from '../recipients/moves.store.ts'
import type { CountedMove } from '../recipients/moves.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps } from '../recipients/timeline.store.ts'
import { rcsPrice } from '../sends/prices.ts'
import { toReservation } from './fall-back.ts'
import { type ArrivedRcs, type QueuedSms, updateToArrived } from './queued-sms.store.ts'

/*
 * An RCS that arrives after it fell back, while its SMS is still queued: the SMS is stopped and its credits come back, and the
 * RCS is charged again. The batch of the SMS passes over a recipient that does not wait.
 */

/** A report of the platform on a recipient that fell back. */
export type Arrival = Omit<ArrivedRcs, 'credits'>

/**
 * Stops the SMS of those that are `queued`, and tells the moves, which the caller counts. Without the credits for its RCS an
 * SMS goes on. Recipients are locked by now; messages, then balances follow, those of the caller's `others` with them.
 */
export async function stopQueuedSms(
  database: Database,
  arrivals: readonly Arrival[],
  { queued, others }: { queued: readonly QueuedSms[]; others: readonly RecipientKey[] }
): Promise<CountedMove[]> {
  if (queued.length === 0) return []
  const uncancelled = await lockUncancelled(database, [...queued, ...others])
  const sms = new Map(
    queued.filter(({ messageId }) => uncancelled.has(messageId)).map((one) => [toRecipientId(one), one])
  )
  const priced = await withPrices(
    database,
    arrivals.filter((arrival) => sms.has(toRecipientId(arrival)))
  )
  await lockBalancesOf(database, [...priced.flatMap(toReservations), ...others.map(toReservation)])
  const payments = await spendCredits(
    database,
    priced.map((arrival) => ({
      ...toReservation(arrival),
      reference: deliveredReferenceOf(arrival),
      amount: arrival.credits
    }))
  )
  const arrived = priced.filter((_, index) => payments[index]?.kind === 'done')
  await updateToArrived(database, arrived)
  await insertSteps(
    database,
    arrived.map(({ carrier, ...key }) => ({
      ...key,
      step: 'sms_stopped',
      detail: 'The RCS arrived while its SMS was still queued.',
      carrier
    }))
  )
  return arrived.map(({ accountId, messageId, position, to, credits: rcsCredits }): CountedMove => {
    const { segments = 0, credits = 0 } = sms.get(toRecipientId({ messageId, position })) ?? {}
    const from = RECIPIENT_STATES.waiting
    return { accountId, messageId, position, from, to, refund: credits, undone: { segments, rcsCredits } }
  })
}

async function withPrices(database: Database, arrivals: readonly Arrival[]): Promise<ArrivedRcs[]> {
  const keys = [...new Map(arrivals.map((arrival) => [arrival.messageId, arrival])).values()]
  const types = new Map((await listRcsMessages(database, keys)).map(({ messageId, type }) => [messageId, type]))
  return arrivals.flatMap((arrival) => {
    const type = types.get(arrival.messageId)
    return type ? [{ ...arrival, credits: rcsPrice(type) }] : []
  })
}

function toReservations(key: RecipientKey): ReservationKey[] {
  const { accountId } = key
  return [toReservation(key), { accountId, messageType: MESSAGE_TYPES.sms, reference: fallbackReferenceOf(key) }]
}
