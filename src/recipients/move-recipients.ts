import { strict as assert } from 'node:assert'
import { queueReports } from '../callbacks/callbacks.store.ts'
import { MESSAGE_TYPES } from '../credits/credit.ts'
import { type Closing, closeReservations } from '../credits/reservations.ts'
import type { Database } from '../database/database.ts'
import { isDistributed } from '../database/shape.ts'
import { isCampaign, noticeCampaigns } from '../messages/campaign-notices.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { fallbackReferenceOf, referenceOf } from '../messages/reservation.ts'
import { type Changed, NO_TOTALS, type TotalsChange, updateMessageTotals } from '../messages/totals.store.ts'
import { deleteParkedBatches } from '../queue/batches.store.ts'
import { isTracing } from '../traces/tracer.ts'
import { BIND_EVENTS } from '../webhooks/bind-subscriptions.store.ts'
import { listSubscribersByType, type Subscribers } from '../webhooks/events.store.ts'
import { recordBindReceipts } from './bind-receipts.ts'
import { noteTimes } from './message-times.ts'
import { endingMove, type Move, type Moved, type MoveOf, type Refund } from './move.ts'
import { type PaidMove, updateByReceipt, updateDecided, updateToInDoubt, updateToSent } from './moves.store.ts'
import { updateByRcsReport, updateToArrived, updateToFallback, updateToWithdrawn } from './rcs-moves.store.ts'
import { canMove, RECIPIENT_STATES, toRecipientId } from './recipient.ts'
import { lockCommitted } from './recipient-locks.store.ts'
import { toReports } from './reports.ts'
import { recordStatuses } from './status-events.ts'
import { insertSteps } from './timeline.store.ts'
import { traceReports } from './trace-reports.ts'

/*
 * The one way to change the state of recipients. A transaction that moves recipients locks in this order: recipients,
 * then their messages by account and id, then balances. So this module first writes the recipients and their timeline,
 * then the totals of their messages, then the ledger. It stores events along the way. From the totals to the commit,
 * other moves of recipients of the same messages wait. So callers store their own rows in `beforeTotals`, and statements
 * of one step leave together.
 */

export interface MoveOptions {
  /** Runs after the recipients have moved and before their messages are locked. */
  beforeTotals?(moved: readonly Moved[]): Promise<void>
  /**
   * Further moves of recipients that are locked by now. Their other locks are taken together with the locks of `moved`.
   */
  following?(moved: readonly Moved[]): Promise<readonly Move[]>
}

/**
 * Moves recipients, and returns the recipients that moved. A recipient that has left the starting state of its move
 * stays as it is.
 */
export async function moveRecipients(
  database: Database,
  moves: readonly Move[],
  { beforeTotals, following }: MoveOptions = {}
): Promise<Moved[]> {
  const startedAt = isTracing() ? new Date() : undefined
  // Statements that do not wait for each other's answers leave together: a turn to the database and back costs more.
  const [subscribersOfMoves, moved] = await Promise.all([
    listSubscribersOf(database, moves),
    writeMoves(database, moves)
  ])
  const before = beforeTotals?.(moved)
  let subscribers = subscribersOfMoves
  let further: readonly Move[] = []
  if (following) {
    await before
    further = await following(moved)
    moved.push(...(await writeMoves(database, further)))
    // They may be of other accounts, or the only moves.
    if (further.length > 0) subscribers = await listSubscribersOf(database, [...moves, ...further])
  }
  const [, , , , , messages] = await Promise.all([
    before,
    noteSteps(database, [...moves, ...further], moved),
    recordStatuses(database, moved.filter(hasStatusEvent), subscribers),
    queueReports(database, toReports(moved, subscribers.get('callbacks') ?? NO_ACCOUNTS)),
    recordBindReceipts(database, moved, subscribers),
    addToTotals(database, moved, { subscribers, paid: paidMessages(moves) })
  ])
  if (startedAt) {
    database.afterCommit(() => traceReports([...moves, ...further], { moved, messages, startedAt }))
  }
  return moved
}

const EVENT_TYPES = ['sms_status', 'rcs_status', 'message_state', 'callbacks', BIND_EVENTS] as const

function listSubscribersOf(database: Database, moves: readonly Move[]): Promise<Subscribers> {
  const accountIds = [...new Set(moves.map(({ accountId }) => accountId))]
  return listSubscribersByType(database, { types: EVENT_TYPES, accountIds })
}

/** The ids of messages whose credits are spent already. */
function paidMessages(moves: readonly Move[]): Set<number> {
  const paid = new Set<number>()
  for (const move of moves) if (move.kind === 'sent' && move.isPaid) paid.add(move.messageId)
  return paid
}

/** A recipient that has moved, and the changes to its message besides the counts of states. */
interface CountedMove extends Moved {
  /** Credits to refund. */
  refund: number
  /** The country of a recipient with a refund. */
  country?: string | null
  /** Whether `refund` was paid for a fallback SMS, under a reference of its own. */
  isFallback?: boolean
  /** The SMS that replaces its RCS from now on. */
  fellBackTo?: { segments: number; credits: number }
  /** The SMS did not leave, since the RCS arrived. The totals become as if there had been no fallback. */
  undone?: { segments: number; rcsCredits: number }
}

/**
 * On a cluster a commit reaches the coordinator before the other nodes, and long before them if a node dies in between. A
 * recipient that did not move may be as it was before such a commit: it is waited for, and moved then.
 */
async function writeMoves(database: Database, moves: readonly Move[]): Promise<CountedMove[]> {
  const counted = await writeOnce(database, moves)
  if (!isDistributed() || counted.length >= moves.length) return counted
  const moved = new Set(counted.map(toRecipientId))
  const left = moves.filter((move) => !moved.has(toRecipientId(move)))
  await lockCommitted(database, left)
  return [...counted, ...(await writeOnce(database, left))]
}

async function writeOnce(database: Database, moves: readonly Move[]): Promise<CountedMove[]> {
  if (moves.length === 0) return []
  const byKind = Map.groupBy(moves, ({ kind }) => kind)
  const of = <K extends Move['kind']>(kind: K) => (byKind.get(kind) ?? []) as MoveOf<K>[]
  const [sent, inDoubt, reported, rcsReported, decided, withdrawn, dropped, fellBack, arrived] = await Promise.all([
    updateToSent(database, of('sent')),
    updateToInDoubt(database, of('in-doubt')),
    updateByReceipt(database, of('reported')),
    updateByRcsReport(database, of('rcs-reported')),
    writeDecided(database, of('decided')),
    updateToWithdrawn(
      database,
      of('withdrawn').map((move) => ({ ...move, ending: null }))
    ),
    writeDropped(database, of('dropped')),
    writeFellBack(database, of('fell-back')),
    writeArrived(database, of('arrived'))
  ])
  const counted: CountedMove[] = [
    ...[sent, inDoubt, rcsReported, withdrawn].flatMap((unrefunded) => unrefunded.map(withoutRefund)),
    ...reported,
    ...decided,
    ...dropped,
    ...fellBack,
    ...arrived
  ]
  for (const { from, to } of counted) if (!canMove(from, to)) assert.fail(`a recipient moved from ${from} to ${to}`)
  return counted
}

function withoutRefund({ accountId, messageId, position, from, to }: Moved): CountedMove {
  return { accountId, messageId, position, from, to, refund: 0 }
}

async function writeDecided(database: Database, moves: readonly MoveOf<'decided'>[]): Promise<CountedMove[]> {
  const moved = await updateDecided(database, moves)
  const refunds = new Map(moves.map((move) => [toRecipientId(move), move.refund]))
  return moved.map((move) => ({ ...move, refund: amountOf(refunds.get(toRecipientId(move)) ?? 'none', move) }))
}

/** The credits to refund for a recipient. An RCS has no segments: it is refunded whole or not at all. */
function amountOf(refund: Refund, { credits, segments }: PaidMove): number {
  if (refund === 'none') return 0
  if (refund === 'all' || refund.takenSegments === 0) return credits
  return Math.max(0, Math.round((credits * (segments - refund.takenSegments)) / segments))
}

async function writeDropped(database: Database, moves: readonly MoveOf<'dropped'>[]): Promise<CountedMove[]> {
  if (moves.length === 0) return []
  const withdrawn = await updateToWithdrawn(database, moves)
  const isWithdrawn = new Set(withdrawn.map(toRecipientId))
  const ended = moves
    .filter((move) => !isWithdrawn.has(toRecipientId(move)))
    .map((move): MoveOf<'decided'> => {
      return { ...move, ...endingMove(move.ending), kind: 'decided', from: RECIPIENT_STATES.waiting, refund: 'all' }
    })
  return [...withdrawn.map((move) => ({ ...move, refund: 0 })), ...(await writeDecided(database, ended))]
}

async function writeFellBack(database: Database, moves: readonly MoveOf<'fell-back'>[]): Promise<CountedMove[]> {
  await updateToFallback(database, moves)
  return moves.map(({ accountId, messageId, position, from, rcsCredits, country, sms }) => {
    const key = { accountId, messageId, position }
    return { ...key, from, to: RECIPIENT_STATES.waiting, refund: rcsCredits, country, fellBackTo: sms }
  })
}

async function writeArrived(database: Database, moves: readonly MoveOf<'arrived'>[]): Promise<CountedMove[]> {
  await updateToArrived(database, moves)
  return moves.map(({ accountId, messageId, position, to, rcsCredits, sms }) => {
    const undone = { segments: sms.segments, rcsCredits }
    return { accountId, messageId, position, from: RECIPIENT_STATES.waiting, to, refund: sms.credits, undone }
  })
}

async function noteSteps(database: Database, moves: readonly Move[], moved: readonly Moved[]): Promise<void> {
  if (!moves.some(({ step }) => step)) return
  const ends = new Map(moved.map((move) => [toRecipientId(move), move.to]))
  await insertSteps(
    database,
    moves.flatMap((move) => {
      const { accountId, messageId, position, step } = move
      const to = ends.get(toRecipientId(move))
      // A dropped recipient whose RCS is to be revoked has not ended yet.
      const isWithdrawn = move.kind === 'dropped' && to === RECIPIENT_STATES.sent
      return step && to !== undefined && !isWithdrawn ? [{ accountId, messageId, position, ...step }] : []
    })
  )
}

type Count = 'waiting' | 'sent' | 'delivered' | 'read' | 'failed' | 'stopped' | 'cancelled'

/** The total in which a state is counted. */
const COUNTS: Readonly<Record<number, Count>> = {
  [RECIPIENT_STATES.waiting]: 'waiting',
  [RECIPIENT_STATES.submitting]: 'waiting',
  [RECIPIENT_STATES.sent]: 'sent',
  [RECIPIENT_STATES.delivered]: 'delivered',
  [RECIPIENT_STATES.read]: 'read',
  [RECIPIENT_STATES.failed]: 'failed',
  [RECIPIENT_STATES.expired]: 'failed',
  [RECIPIENT_STATES.rejected]: 'failed',
  [RECIPIENT_STATES.stopped]: 'stopped',
  [RECIPIENT_STATES.cancelled]: 'cancelled'
}

const COUNTED: readonly Count[] = [...new Set(Object.values(COUNTS))]

const HAS_ARRIVED: ReadonlySet<number> = new Set([RECIPIENT_STATES.delivered, RECIPIENT_STATES.read])

function hasStatusEvent({ to, fellBackTo }: CountedMove): boolean {
  return COUNTS[to] !== 'waiting' || fellBackTo !== undefined
}

/** The change of a message's totals, and the refund from its own reservation. */
interface MessageChange extends TotalsChange {
  ownRefunded: number
  /** The same by country. */
  refundedIn: Record<string, number> | undefined
  /** The first refunded position. A position is refunded once, so it identifies this refund. */
  firstRefunded: number
  /** Recipients that a carrier has accepted, and those whose phone has it. */
  left: number
  arrived: number
}

const NO_CHANGE = { ...NO_TOTALS, ownRefunded: 0, refundedIn: undefined, firstRefunded: 0, left: 0, arrived: 0 }

function toChanges(moves: readonly CountedMove[]): Map<number, MessageChange> {
  const changes = new Map<number, MessageChange>()
  for (const move of moves) {
    const { accountId, messageId } = move
    let change = changes.get(messageId)
    if (!change) {
      change = { accountId, messageId, ...NO_CHANGE }
      changes.set(messageId, change)
    }
    addMove(change, move)
  }
  return changes
}

function addMove(change: MessageChange, move: CountedMove) {
  const { position, from, to, refund, country, isFallback, fellBackTo, undone } = move
  change[COUNTS[from] ?? 'waiting']--
  change[COUNTS[to] ?? 'waiting']++
  if (to === RECIPIENT_STATES.sent) {
    change.taken++
    change.left++
  }
  if (!HAS_ARRIVED.has(from) && HAS_ARRIVED.has(to)) change.arrived++
  if (from === RECIPIENT_STATES.sent && to === RECIPIENT_STATES.waiting) change.taken--
  change.charged += fellBackTo?.credits ?? 0
  change.segments += fellBackTo?.segments ?? 0
  if (undone) {
    change.taken++
    change.charged -= refund
    change.segments -= undone.segments
    change.refunded -= undone.rcsCredits
    return
  }
  change.refunded += refund
  if (refund === 0 || isFallback) return
  change.ownRefunded += refund
  if (country) {
    change.refundedIn ??= {}
    change.refundedIn[country] = (change.refundedIn[country] ?? 0) + refund
  }
  if (change.firstRefunded === 0 || position < change.firstRefunded) change.firstRefunded = position
}

/**
 * Adds moves to the totals of their messages, and refunds credits. A message with no waiting recipient left is over. Returns
 * the messages that changed.
 */
async function addToTotals(
  database: Database,
  moves: readonly CountedMove[],
  { subscribers, paid }: { subscribers: Subscribers; paid: ReadonlySet<number> }
): Promise<readonly Changed[]> {
  const changes = toChanges(moves)
  const changed = [...changes.values()].filter(
    (change) => change.refunded > 0 || change.charged > 0 || COUNTED.some((count) => change[count] !== 0)
  )
  if (changed.length === 0) return []
  const messages = await updateMessageTotals(database, changed)
  database.afterCommit(() => {
    for (const message of messages) noteTimes(message, changes.get(message.messageId) ?? NO_CHANGE)
  })
  const over: Changed[] = []
  const reopened: Changed[] = []
  const closings: Closing[] = []
  for (const message of messages) {
    const change = changes.get(message.messageId) ?? NO_CHANGE
    const isOver = message.waitingCount === 0 && change.waiting < 0
    if (isOver) over.push(message)
    if (message.waitingCount > 0 && message.waitingCount === change.waiting) reopened.push(message)
    if (change.ownRefunded > 0 || (isOver && !paid.has(message.messageId))) {
      closings.push(toClosing(message, change, { isLast: isOver }))
    }
  }
  for (const { accountId, messageId: id, isPaused } of over) {
    if (isPaused) await deleteParkedBatches(database, { accountId, id })
  }
  await recordMessageStates(
    database,
    [...over, ...reopened].filter(({ state }) => state !== 'cancelled'),
    subscribers.get('message_state') ?? NO_ACCOUNTS
  )
  await noticeCampaigns(
    database,
    over
      .filter((message) => message.state !== 'cancelled' && isCampaign(message))
      .map((message) => ({ ...message, kind: message.state === 'failed' ? 'campaign_failed' : 'campaign_finished' }))
  )
  await closeReservations(database, [
    ...closings,
    ...moves.filter(({ refund, isFallback, undone }) => undone || (isFallback && refund > 0)).map(toFallbackClosing)
  ])
  return messages
}

const NO_ACCOUNTS: ReadonlySet<number> = new Set()

function toClosing(
  { accountId, messageId, channel }: Changed,
  { ownRefunded, refundedIn, firstRefunded }: Pick<MessageChange, 'ownRefunded' | 'refundedIn' | 'firstRefunded'>,
  { isLast }: { isLast: boolean }
): Closing {
  const refund = { part: `from recipient ${firstRefunded}`, amount: ownRefunded, countries: refundedIn }
  return {
    accountId,
    messageType: MESSAGE_TYPES[channel],
    reference: referenceOf(messageId),
    ...(ownRefunded > 0 && { refund }),
    isLast
  }
}

function toFallbackClosing({ accountId, messageId, position, refund }: CountedMove): Closing {
  return {
    accountId,
    messageType: MESSAGE_TYPES.sms,
    reference: fallbackReferenceOf({ messageId, position }),
    refund: { part: 'not taken', amount: refund },
    isLast: false
  }
}
