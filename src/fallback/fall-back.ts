import { strict as assert } from 'node:assert'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import type { ReservationKey } from '../credits/credits.store.ts'
import { lockBalancesOf, spendCredits } from '../credits/ledger.ts'
import { databaseNow } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { countSegments } from '../gsm/segments.ts'
import { type Category, LANES } from '../messages/message.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { fallbackReferenceOf, referenceOf } from '../messages/reservation.ts'
import { BATCH_SIZE_MAX, expiryOf } from '../queue/batch.ts'
import { insertBatches, type NewBatch } from '../queue/batches.store.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import { endingMove } from '../recipients/drop-waiting.ts'
import { lockUncancelled, type RecipientKey, updateStates } from '../recipients/moves.store.ts'
import { type CountedMove, countMoves } from '../recipients/moves.ts'
import { toParsedRcs, valuesOf } from '../recipients/rcs-recipient.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import type { Ending } from '../recipients/revocations.store.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { deleteWaits } from '../recipients/waits.store.ts'
import { segmentPrice } from '../sends/prices.ts'
import type { Routing } from '../sends/routing.ts'
import { type Fallback, type FallingRecipient, lockFalling, unmarkFallen, updateToFallback } from './fallback.store.ts'

/*
 * An RCS that does not arrive becomes an SMS, once: its credits come back, those of the SMS are taken, and it waits for its
 * turn on the way of its number. Without a fallback, or without the credits for it, it has failed. All by one transaction
 * that holds the recipients, then their messages, then the balances.
 */

/** A recipient that RCS does not reach, and why. */
export interface Falling extends RecipientKey {
  /** For the timeline. */
  reason: string
  /** Its `errorcode` if there is nothing to fall back to. */
  errorCode: 'rcs_unreachable' | 'rcs_not_delivered'
  /** How it ends when it is not to fall back: its number opted out, or its time is over. */
  ending?: Ending | null
}

/** How many are to leave as SMS now, and how many have failed. */
export interface FellBack {
  sms: number
  failed: number
}

/** Those that were delivered meanwhile, or fell back before, stay as they are. */
export async function fallBack(
  database: Database,
  falling: readonly Falling[],
  routing: Pick<Routing, 'routeOf'>
): Promise<FellBack> {
  if (falling.length === 0) return { sms: 0, failed: 0 }
  // Who lost a batch and took it again may have been told twice.
  const whys = new Map(falling.map((one) => [toRecipientId(one), one]))
  const recipients = await lockFalling(database, [...whys.values()])
  const uncancelled = await lockUncancelled(database, recipients)
  const whyOf = (recipient: RecipientKey) => whys.get(toRecipientId(recipient)) as Falling
  const endOf = (recipient: RecipientKey) => {
    const { ending } = whyOf(recipient)
    if (ending) return { step: ending, ...endingMove(ending) }
    // Nobody waits for an SMS of a message that was cancelled.
    return uncancelled.has(recipient.messageId) ? undefined : CANCELLED
  }
  const live = recipients.filter((recipient) => !endOf(recipient))

  const wanted = await toWanted(database, live, routing)
  await lockBalancesOf(database, recipients.map(toReservation))
  const isPaid = await pay(database, wanted)
  const paid = wanted.filter((one) => isPaid.has(toRecipientId(one)))
  const failed = live.filter((recipient) => !isPaid.has(toRecipientId(recipient)))
  const wantedIds = new Set(wanted.map(toRecipientId))
  await updateToFallback(database, paid)
  const ended = await updateStates(database, [
    ...failed.map((recipient) => ({
      ...keyOf(recipient),
      from: recipient.state,
      to: RECIPIENT_STATES.failed,
      errorCode: wantedIds.has(toRecipientId(recipient)) ? 'insufficient_credits' : whyOf(recipient).errorCode
    })),
    ...recipients.flatMap((recipient) => {
      const end = endOf(recipient)
      return end ? [{ ...keyOf(recipient), from: recipient.state, to: end.to, errorCode: end.errorCode }] : []
    })
  ])
  await unmarkFallen(database, paid)
  await insertBatches(database, toBatches(paid))
  await insertSteps(
    database,
    recipients.flatMap((recipient) => {
      const id = toRecipientId(recipient)
      const { reason } = whyOf(recipient)
      if (isPaid.has(id)) return toFallbackSteps(recipient, reason)
      const detail = wantedIds.has(id) ? `${reason} There were too few SMS credits to fall back.` : reason
      const step = endOf(recipient)?.step ?? 'failed'
      return [{ ...keyOf(recipient), step, detail, carrier: recipient.carrier }]
    })
  )
  await countMoves(database, [
    ...paid.map(({ from, rcsCredits, segments, credits, ...key }): CountedMove => {
      const to = RECIPIENT_STATES.waiting
      return { ...keyOf(key), from, to, refund: rcsCredits, fallback: { segments, credits } }
    }),
    ...ended.map((move): CountedMove => ({ ...move, refund: move.credits }))
  ])
  await deleteWaits(database, falling)
  return { sms: paid.length, failed: failed.length }
}

const CANCELLED = { step: 'cancelled', to: RECIPIENT_STATES.cancelled, errorCode: null }

/** One that has something to fall back to. */
interface Wanted extends Fallback {
  from: number
  rcsCredits: number
  route: string
  category: Category
}

async function toWanted(
  database: Database,
  recipients: readonly FallingRecipient[],
  routing: Pick<Routing, 'routeOf'>
): Promise<Wanted[]> {
  const keys = [...new Map(recipients.map((recipient) => [recipient.messageId, recipient])).values()]
  const messages = new Map<number, ParsedRcs>()
  for (const rcs of await listRcsMessages(database, keys)) messages.set(rcs.messageId, toParsedRcs(rcs))
  return recipients.flatMap((recipient): Wanted[] => {
    const text = messages.get(recipient.messageId)?.fillFallback(valuesOf(recipient.content)) ?? null
    const route = routing.routeOf('sms', recipient.phone)
    if (text === null || route === undefined) return []
    const { segments } = countSegments(text)
    return [
      {
        ...keyOf(recipient),
        from: recipient.state,
        rcsCredits: recipient.credits,
        segments,
        credits: segments * segmentPrice(recipient.phone),
        route,
        category: recipient.category
      }
    ]
  })
}

/** Takes the credits of the SMS; tells whose could be paid. */
async function pay(database: Database, wanted: readonly Wanted[]): Promise<Set<number>> {
  const movements = await spendCredits(
    database,
    wanted.map((one) => ({
      accountId: one.accountId,
      messageType: MESSAGE_TYPES.sms,
      reference: fallbackReferenceOf(one),
      amount: one.credits
    }))
  )
  return new Set(wanted.filter((_, index) => movements[index]?.kind === 'done').map(toRecipientId))
}

/** Those of one message and way leave together. */
function toBatches(fallbacks: readonly Wanted[]): NewBatch[] {
  const groups = Map.groupBy(fallbacks, ({ messageId, route }) => `${messageId} ${route}`)
  const now = databaseNow()
  return [...groups.values()].flatMap((ofMessage) => {
    const [first] = ofMessage
    assert(first)
    const { accountId, messageId, route, category } = first
    const batch = {
      accountId,
      messageId,
      route,
      lane: LANES[category],
      dueAt: null,
      expiresAt: expiryOf(now, category)
    }
    const batches: NewBatch[] = []
    for (let start = 0; start < ofMessage.length; start += BATCH_SIZE_MAX) {
      const positions = ofMessage.slice(start, start + BATCH_SIZE_MAX).map(({ position }) => position)
      batches.push({ ...batch, positions })
    }
    return batches
  })
}

function toFallbackSteps(recipient: FallingRecipient, detail: string): (RecipientKey & Step)[] {
  const key = keyOf(recipient)
  const { carrier, sentAt } = recipient
  // Its row will tell of the SMS.
  const sent = sentAt ? [{ ...key, step: 'sent', detail: 'by RCS', carrier, at: sentAt }] : []
  return [...sent, { ...key, step: 'fallback', detail, carrier }]
}

/** What the ledger knows the credits of the RCS by. */
export function toReservation({ accountId, messageId }: RecipientKey): ReservationKey {
  return { accountId, messageType: MESSAGE_TYPES.rcs, reference: referenceOf(messageId) }
}

function keyOf({ accountId, messageId, position }: RecipientKey): RecipientKey {
  return { accountId, messageId, position }
}
