import { strict as assert } from 'node:assert'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { listReservationSenders, type ReservationKey } from '../credits/reservations.store.ts'
import { lockBalancesOf, spendCredits } from '../credits/reservations.ts'
import type { Database } from '../database/database.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { deliveredReferenceOf, fallbackReferenceOf } from '../messages/reservation.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import { BUILT_IN_PRICES } from '../prices/price-table.ts'
import type { ArrivedMove, Move, RecipientKey } from '../recipients/move.ts'
import { toRecipientId } from '../recipients/recipient.ts'
import type { Step } from '../recipients/timeline.store.ts'
import { toReservation } from './fall-back.ts'
import type { QueuedSms } from './queued-sms.store.ts'

/*
 * An RCS that arrives after it fell back, while its SMS is still queued: the SMS is stopped and its credits come back, and the
 * RCS is charged again. The batch of the SMS passes over a recipient that does not wait.
 */

/** A report of the platform on a recipient that fell back. */
export type Arrival = Omit<ArrivedMove, 'kind' | 'rcsCredits' | 'sms' | 'step'>

/**
 * Stops each SMS that is `queued` and whose RCS arrived, and returns the moves. An SMS without enough credits for its RCS goes
 * on. The caller has locked the recipients. This function locks the messages and then the balances, also of `others`.
 */
export async function stopQueuedSms(
  database: Database,
  arrivals: readonly Arrival[],
  { queued, others }: { queued: readonly QueuedSms[]; others: readonly RecipientKey[] }
): Promise<Move[]> {
  if (queued.length === 0) return []
  const uncancelled = await lockUncancelled(database, [...queued, ...others])
  const sms = new Map(
    queued.filter(({ messageId }) => uncancelled.has(messageId)).map((one) => [toRecipientId(one), one])
  )
  const moves = await toMoves(database, arrivals, sms)
  await lockBalancesOf(database, [...moves.flatMap(toReservations), ...others.map(toReservation)])
  const senders = await listReservationSenders(database, moves.map(toReservation))
  const payments = await spendCredits(
    database,
    moves.map((move) => {
      const own = toReservation(move)
      const { country } = sms.get(toRecipientId(move)) as QueuedSms
      const sender = senders.find((one) => one.accountId === own.accountId && one.reference === own.reference)?.sender
      const use = { sender: sender ?? '', countries: { [country]: move.rcsCredits } }
      return { ...own, reference: deliveredReferenceOf(move), amount: move.rcsCredits, use }
    })
  )
  return moves.filter((_, index) => payments[index]?.kind === 'done')
}

async function toMoves(
  database: Database,
  arrivals: readonly Arrival[],
  queued: ReadonlyMap<number, QueuedSms>
): Promise<ArrivedMove[]> {
  const stopped = arrivals.filter((arrival) => queued.has(toRecipientId(arrival)))
  const keys = [...new Map(stopped.map((arrival) => [arrival.messageId, arrival])).values()]
  const types = new Map((await listRcsMessages(database, keys)).map(({ messageId, type }) => [messageId, type]))
  return stopped.flatMap((arrival): ArrivedMove[] => {
    const type = types.get(arrival.messageId)
    const { segments, credits, rcsCredits } = queued.get(toRecipientId(arrival)) as QueuedSms
    const detail = 'The RCS arrived while its SMS was still queued.'
    const step: Step = { step: 'sms_stopped', detail, carrier: arrival.carrier }
    if (!type) return []
    // Recipients without it fell back when there were no lists.
    const charged = rcsCredits ?? BUILT_IN_PRICES.rcs({ type, isBasic: type === 'text' }, '')
    assert(charged !== undefined)
    return [{ ...arrival, kind: 'arrived', rcsCredits: charged, sms: { segments, credits }, step }]
  })
}

function toReservations(key: RecipientKey): ReservationKey[] {
  const { accountId } = key
  return [toReservation(key), { accountId, messageType: MESSAGE_TYPES.sms, reference: fallbackReferenceOf(key) }]
}
