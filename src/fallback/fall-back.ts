import { listParents } from '../accounts/accounts.store.ts'
import type { CarrierHistory } from '../carriers/history.ts'
import { noteReceipt } from '../carriers/receipt-metrics.ts'
import { lockBalances } from '../credits/balances.store.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { openPurse, type Purse } from '../credits/purse.ts'
import { listReservationPayers, type ReservationKey } from '../credits/reservations.store.ts'
import { listBalancesOf } from '../credits/reservations.ts'
import { databaseNow, databaseNowMs } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { countSegments } from '../gsm/segments.ts'
import { LANES } from '../messages/message.ts'
import { expiryIn } from '../messages/options.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { fallbackReferenceOf, referenceOf } from '../messages/reservation.ts'
import { lockUncancelled } from '../messages/totals.store.ts'
import type { PriceBook, PriceTable } from '../prices/price.ts'
import { expiryOf, headStartOf, toBatches } from '../queue/batch.ts'
import { insertBatches, unmarkFallenBack } from '../queue/batches.store.ts'
import type { ParsedRcs } from '../rcs/rcs-form.ts'
import { type DecidedMove, type Ending, endingMove, keyOf, type Move, type RecipientKey } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { toParsedRcs, valuesOf } from '../recipients/rcs-recipient.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import { deleteWaits } from '../recipients/waits.store.ts'
import type { Routing } from '../sends/routing.ts'
import { type FallbackRecipient, lockForFallback } from './fallback.store.ts'

/*
 * An RCS that does not arrive becomes an SMS, once. Its RCS credits are refunded, the SMS credits are spent, and the SMS is
 * queued on the route of its number. Without a fallback text, or without enough credits, the recipient has failed. One
 * transaction does all of this. It locks the recipients, then their messages, then the balances.
 */

/** A recipient that its RCS does not reach, and why. */
export interface RcsFailure extends RecipientKey {
  /** For the timeline. */
  reason: string
  /** The `errorcode` of the recipient if it can't fall back. */
  errorCode: 'rcs_unreachable' | 'rcs_no_agent' | 'rcs_not_delivered'
  /** Set when the recipient must not fall back: its number opted out, or the message expired. */
  ending?: Ending | null
}

/** The routing that a fallback asks for the route of its SMS. */
export type FallbackRouting = Pick<Routing, 'forMessage' | 'prices'>

/** The number of recipients that get an SMS, and of those that failed. */
export interface FallbackCounts {
  sms: number
  failed: number
}

/** Leaves out recipients that were delivered meanwhile, or fell back before. */
export async function fallBack(
  database: Database,
  failures: readonly RcsFailure[],
  routing: FallbackRouting,
  history?: CarrierHistory
): Promise<FallbackCounts> {
  if (failures.length === 0) return { sms: 0, failed: 0 }
  // A recipient may come twice from a worker that lost a batch and claimed it again.
  const causes = new Map(failures.map((one) => [toRecipientId(one), one]))
  // The content never changes. It is read now, so that nothing is read while the messages are locked.
  const [recipients, messages, balances, payers, parents] = await Promise.all([
    lockForFallback(database, [...causes.values()]),
    readMessages(database, failures, routing.prices),
    listBalancesOf(database, failures.map(toReservation)),
    listRcsPayers(database, failures),
    listParents(database, failures.map(toAccountId))
  ])
  // Other moves of the same messages wait from here to the commit. So there are as few turns to the database as possible.
  const [uncancelled, , purse] = await Promise.all([
    lockUncancelled(database, recipients),
    lockBalances(database, balances),
    openPurse(database, { spenderIds: recipients.map(toAccountId), messageType: MESSAGE_TYPES.sms, isLocked: true })
  ])
  const causeOf = (recipient: RecipientKey) => causes.get(toRecipientId(recipient)) as RcsFailure
  const now = databaseNow()
  const isOver = ({ options }: FallbackRecipient) =>
    (expiryIn(options)?.getTime() ?? Number.POSITIVE_INFINITY) <= now.getTime()
  const endOf = (recipient: FallbackRecipient): End | undefined => {
    const { ending } = causeOf(recipient)
    if (ending) return { step: ending, ...endingMove(ending) }
    if (isOver(recipient)) return EXPIRED
    // No SMS is sent for a message that was cancelled.
    return uncancelled.has(recipient.messageId) ? undefined : CANCELLED
  }
  const live = recipients.filter((recipient) => !endOf(recipient))
  const pricesOf = ({ accountId, messageId }: RecipientKey) => {
    const payerId = purse.payerOf(accountId)
    const payerBefore = payers.get(messageId)
    const isOther = payerId !== undefined && payerBefore !== undefined && payerId !== payerBefore
    return isOther ? presentPrices({ accountId, payerId }, { routing, parents }) : messages.get(messageId)?.prices
  }
  const fallbacks = new Map(
    toFallbacks(live, messages, { routing, parents, pricesOf }).map((fallback) => [toRecipientId(fallback), fallback])
  )
  const paid = [...fallbacks.values()].filter((fallback) => isGranted(purse, fallback))
  const isPaid = new Set(paid.map(toRecipientId))

  await moveRecipients(
    database,
    recipients.map((recipient): Move => {
      const id = toRecipientId(recipient)
      const { reason, errorCode } = causeOf(recipient)
      const { carrier, state: from } = recipient
      const fallback = fallbacks.get(id)
      if (fallback && isPaid.has(id)) {
        const { rcsCredits, country, segments, credits } = fallback
        const step: Step = { step: 'fallback', detail: reason, carrier }
        return { ...keyOf(recipient), kind: 'fell-back', from, rcsCredits, country, sms: { segments, credits }, step }
      }
      const { step, ...end }: End = endOf(recipient) ?? {
        step: 'failed',
        to: RECIPIENT_STATES.failed,
        errorCode: fallback ? 'insufficient_credits' : errorCode
      }
      const detail = fallback ? `${reason} There were too few SMS credits to fall back.` : reason
      return { ...keyOf(recipient), kind: 'decided', from, ...end, refund: 'all', step: { step, detail, carrier } }
    }),
    {
      async beforeTotals() {
        await Promise.all([
          purse.write(database, () => true),
          insertSteps(
            database,
            recipients.filter((recipient) => isPaid.has(toRecipientId(recipient))).flatMap(toSentStep)
          ),
          unmarkFallenBack(database, paid),
          insertBatches(database, toBatches(paid))
        ])
      }
    }
  )
  await database.atEnd((sql) => deleteWaits(sql, failures.filter(mayWait(recipients))))
  database.afterCommit(() => countUndelivered(recipients, history))
  return { sms: paid.length, failed: live.length - paid.length }
}

/** Only an RCS that the platform had: the others were counted by the platform's answer. */
function countUndelivered(recipients: readonly FallbackRecipient[], history: CarrierHistory | undefined): void {
  for (const { state, carrier, country, sentAt } of recipients) {
    if (state !== RECIPIENT_STATES.sent || !carrier || !sentAt) continue
    const seconds = Math.max(0, databaseNowMs() - sentAt.getTime()) / 1000
    noteReceipt({ carrier, state: 'failed', country, seconds: undefined })
    history?.onReceipt(carrier, { country, isDelivered: false, errorCode: 'rcs_not_delivered', seconds })
  }
}

/** An RCS that can't be sent has no wait, unless it was sent before. */
function mayWait(recipients: readonly FallbackRecipient[]): (failure: RcsFailure) => boolean {
  const unsent = new Set(recipients.filter(({ state }) => state !== RECIPIENT_STATES.sent).map(toRecipientId))
  return (failure) => failure.errorCode === 'rcs_not_delivered' || !unsent.has(toRecipientId(failure))
}

/** The end of a recipient that does not fall back. */
type End = Pick<DecidedMove, 'to' | 'errorCode'> & Pick<Step, 'step'>

const EXPIRED: End = { step: 'expired', ...endingMove('expired') }
const CANCELLED: End = { step: 'cancelled', to: RECIPIENT_STATES.cancelled, errorCode: null }

/** The SMS that takes the place of an RCS. */
interface Fallback extends RecipientKey {
  rcsCredits: number
  country: string
  /** Of the SMS. */
  sender: string
  segments: number
  credits: number
  route: string
  lane: number
  expiresAt: Date
  headStartSeconds: number | undefined
}

/** The fallback of a message. */
interface ReadMessage {
  parsed: ParsedRcs
  sender: string | undefined
  /** The prices at which the RCS was accepted. */
  prices: PriceTable
}

/** By message id. */
async function readMessages(
  database: Database,
  failures: readonly RcsFailure[],
  prices: PriceBook
): Promise<Map<number, ReadMessage>> {
  const keys = [...new Map(failures.map((failure) => [failure.messageId, failure])).values()]
  const messages = await listRcsMessages(database, keys)
  await prices.load(messages)
  return new Map(
    messages.map((message) => [
      message.messageId,
      {
        parsed: toParsedRcs(message),
        sender: message.fallbackSender ?? undefined,
        prices: prices.byVersions(message)
      }
    ])
  )
}

type Parents = ReadonlyMap<number, number | null>

/** By message id, the account that paid for the RCS. */
async function listRcsPayers(database: Database, keys: readonly RecipientKey[]): Promise<Map<number, number>> {
  const ofMessages = [...new Map(keys.map((key) => [key.messageId, key])).values()]
  const payers = new Map(
    (await listReservationPayers(database, ofMessages.map(toReservation))).map((row) => [row.reference, row.payerId])
  )
  return new Map(
    ofMessages.flatMap(({ messageId }) => {
      const payerId = payers.get(referenceOf(messageId))
      return payerId === undefined ? [] : [[messageId, payerId] as const]
    })
  )
}

/**
 * The prices of now, for an SMS that another account pays than its RCS: the list of the payer counts, and the version that the
 * RCS was accepted at is of another one.
 */
function presentPrices(
  { accountId, payerId }: { accountId: number; payerId: number },
  { routing, parents }: { routing: FallbackRouting; parents: Parents }
): PriceTable {
  const parentId = parents.get(accountId) ?? null
  const payer = payerId === accountId ? { accountId, parentId } : { accountId: payerId, parentId: null }
  return routing.prices.forAccount(payer, databaseNow())
}

/** The SMS of each recipient that has a fallback text and a route. */
function toFallbacks(
  recipients: readonly FallbackRecipient[],
  messages: ReadonlyMap<number, ReadMessage>,
  {
    routing,
    parents,
    pricesOf
  }: { routing: FallbackRouting; parents: Parents; pricesOf(recipient: RecipientKey): PriceTable | undefined }
): Fallback[] {
  const now = databaseNow()
  return recipients.flatMap((recipient): Fallback[] => {
    const { accountId } = recipient
    const message = messages.get(recipient.messageId)
    const text = message?.parsed.fillFallback(valuesOf(recipient.content)) ?? null
    const routed = { accountId, parentId: parents.get(accountId) ?? null, category: recipient.category }
    const routes = routing.forMessage({ ...routed, sender: message?.sender })
    const route = routes.routeOf('sms', recipient.phone)
    const price = pricesOf(recipient)?.segment(recipient.phone)
    if (text === null || route === undefined || price === undefined) return []
    const { segments } = countSegments(text)
    const { credits: rcsCredits, country } = recipient
    const sender = message?.sender ?? routes.defaultSender(recipient.phone)
    const credits = segments * price
    return [
      { ...keyOf(recipient), rcsCredits, country, sender, segments, credits, route, ...departureOf(recipient, now) }
    ]
  })
}

function departureOf(
  { category, options, recipientsCount }: FallbackRecipient,
  now: Date
): Pick<Fallback, 'lane' | 'expiresAt' | 'headStartSeconds'> {
  return {
    lane: LANES[category],
    expiresAt: expiryIn(options) ?? expiryOf(now, category),
    headStartSeconds: headStartOf(options, { recipientsCount })
  }
}

/** Takes the credits of an SMS from the purse. A recipient falls back once, so the reference of its SMS is new. */
function isGranted(purse: Purse, fallback: Fallback): boolean {
  const { accountId, credits: amount, country, sender } = fallback
  const use = { sender, countries: { [country]: amount } }
  return purse.reserve({ accountId, reference: fallbackReferenceOf(fallback), amount, use }).kind === 'done'
}

function toAccountId({ accountId }: RecipientKey): number {
  return accountId
}

/** Keeps the time of the RCS in the timeline: from now on, the recipient's row is about the SMS. */
function toSentStep(recipient: FallbackRecipient): (RecipientKey & Step)[] {
  const { carrier, sentAt } = recipient
  return sentAt ? [{ ...keyOf(recipient), step: 'sent', detail: 'by RCS', carrier, at: sentAt }] : []
}

/** The ledger's key for the credits of the RCS. */
export function toReservation({ accountId, messageId }: RecipientKey): ReservationKey {
  return { accountId, messageType: MESSAGE_TYPES.rcs, reference: referenceOf(messageId) }
}
