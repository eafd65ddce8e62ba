import { MESSAGE_TYPES } from '../credits/credit.ts'
import { type Closing, closeReservations } from '../credits/ledger.ts'
import type { Database } from '../database/database.ts'
import { recordMessageStates } from '../messages/message-events.ts'
import { fallbackReferenceOf, referenceOf } from '../messages/reservation.ts'
import { type CountChange, type Moved, updateMessageTotals } from './moves.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { recordStatuses } from './status-events.ts'

/*
 * What follows when recipients have moved: the counts of their messages, the credits that come back, and the end of each
 * message. In the transaction that moved them, after it: recipients, then messages, then balances is the order of locks.
 */

type Count = 'waiting' | 'sent' | 'delivered' | 'read' | 'failed' | 'stopped' | 'cancelled'

/** Where a state is counted. */
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

/** A recipient that has moved, and the credits of it that come back. */
export interface CountedMove extends Moved {
  refund: number
  /** Whether what comes back was paid for an SMS that took the place of an RCS. */
  isFallback?: boolean
  /** The SMS that takes the place of its RCS from now on. */
  fallback?: { segments: number; credits: number }
  /**
   * It arrived by RCS after all, and the SMS that had taken its place was stopped: `refund` is the SMS's. The message is then
   * as it would be without that fallback.
   */
  undone?: { segments: number; rcsCredits: number }
}

export async function countMoves(database: Database, moves: readonly CountedMove[]): Promise<void> {
  const changes = new Map<number, CountChange & typeof OWN_REFUND>()
  const refundedFallbacks: CountedMove[] = []
  for (const move of moves) {
    const { accountId, messageId, position, from, to, refund, isFallback, fallback, undone } = move
    let change = changes.get(messageId)
    if (!change) {
      change = { accountId, messageId, ...NOTHING }
      changes.set(messageId, change)
    }
    change[COUNTS[from] ?? 'waiting']--
    change[COUNTS[to] ?? 'waiting']++
    if (to === RECIPIENT_STATES.sent) change.taken++
    if (from === RECIPIENT_STATES.sent && to === RECIPIENT_STATES.waiting) change.taken--
    change.charged += fallback?.credits ?? 0
    change.segments += fallback?.segments ?? 0
    if (undone) {
      change.taken++
      change.charged -= refund
      change.segments -= undone.segments
      change.refunded -= undone.rcsCredits
      refundedFallbacks.push(move)
      continue
    }
    if (refund === 0) continue
    change.refunded += refund
    if (isFallback) {
      refundedFallbacks.push(move)
      continue
    }
    change.ownRefunded += refund
    if (change.firstRefunded === 0 || position < change.firstRefunded) change.firstRefunded = position
  }
  await recordStatuses(
    database,
    moves.filter(({ to, fallback }) => COUNTS[to] !== 'waiting' || fallback)
  )
  const changed = [...changes.values()].filter(
    (change) => change.refunded > 0 || change.charged > 0 || hasCounts(change)
  )
  if (changed.length === 0) return
  const after = await updateMessageTotals(database, changed)
  const waitingOf = (messageId: number) => (changes.get(messageId) ?? NOTHING).waiting
  const isOver = ({ messageId, waitingCount }: (typeof after)[number]) => waitingCount === 0 && waitingOf(messageId) < 0
  const isReopened = ({ messageId, waitingCount }: (typeof after)[number]) =>
    waitingCount > 0 && waitingCount === waitingOf(messageId)
  await recordMessageStates(
    database,
    after.filter((message) => (isOver(message) || isReopened(message)) && message.state !== 'cancelled')
  )
  await closeReservations(database, [
    ...after.flatMap((message): Closing[] => {
      const { accountId, messageId, channel } = message
      const { ownRefunded, firstRefunded } = changes.get(messageId) ?? NOTHING
      const isLast = isOver(message)
      if (!isLast && ownRefunded === 0) return []
      return [
        {
          accountId,
          messageType: MESSAGE_TYPES[channel],
          reference: referenceOf(messageId),
          // Each recipient gets its credits back once, so the first of them names this refund.
          ...(ownRefunded > 0 && { refund: { part: `from recipient ${firstRefunded}`, amount: ownRefunded } }),
          isLast
        }
      ]
    }),
    ...refundedFallbacks.map(
      ({ accountId, messageId, position, refund }): Closing => ({
        accountId,
        messageType: MESSAGE_TYPES.sms,
        reference: fallbackReferenceOf({ messageId, position }),
        refund: { part: 'not taken', amount: refund },
        isLast: false
      })
    )
  ])
}

/** Of the message's own reservation: what came back, and the first whose it was. */
const OWN_REFUND = { ownRefunded: 0, firstRefunded: 0 }

const NOTHING = {
  waiting: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  stopped: 0,
  cancelled: 0,
  taken: 0,
  refunded: 0,
  charged: 0,
  segments: 0,
  ...OWN_REFUND
}

function hasCounts(change: CountChange): boolean {
  return Object.values(COUNTS).some((name) => change[name] !== 0)
}
