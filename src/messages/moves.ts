import { MESSAGE_TYPES } from '../credits/credit.ts'
import { closeReservations } from '../credits/ledger.ts'
import type { Database } from '../database/database.ts'
import { referenceOf } from './accept-messages.ts'
import { recordMessageStates } from './message-events.ts'
import { type CountChange, type Moved, updateMessageTotals } from './moves.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'
import { insertStatusEvents } from './status-events.store.ts'

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
}

export async function countMoves(database: Database, moves: readonly CountedMove[]): Promise<void> {
  const changes = new Map<number, CountChange & { firstRefunded: number }>()
  for (const { accountId, messageId, position, from, to, refund } of moves) {
    let change = changes.get(messageId)
    if (!change) {
      change = { accountId, messageId, ...NOTHING }
      changes.set(messageId, change)
    }
    change[COUNTS[from] ?? 'waiting']--
    change[COUNTS[to] ?? 'waiting']++
    if (to === RECIPIENT_STATES.sent) change.taken++
    if (refund === 0) continue
    change.refunded += refund
    if (change.firstRefunded === 0 || position < change.firstRefunded) change.firstRefunded = position
  }
  await insertStatusEvents(
    database,
    moves.filter(({ to }) => COUNTS[to] !== 'waiting')
  )
  const changed = [...changes.values()].filter((change) => change.refunded > 0 || hasCounts(change))
  if (changed.length === 0) return
  const after = await updateMessageTotals(database, changed)
  const isOver = ({ messageId, waitingCount }: (typeof after)[number]) =>
    waitingCount === 0 && (changes.get(messageId) ?? NOTHING).waiting < 0
  await recordMessageStates(
    database,
    after.filter((message) => isOver(message) && message.state !== 'cancelled')
  )
  await closeReservations(
    database,
    after.flatMap((message) => {
      const { accountId, messageId, channel } = message
      const { refunded, firstRefunded } = changes.get(messageId) ?? NOTHING
      const isLast = isOver(message)
      if (!isLast && refunded === 0) return []
      return {
        accountId,
        messageType: MESSAGE_TYPES[channel],
        reference: referenceOf(messageId),
        // Each recipient gets its credits back once, so the first of them names this refund.
        ...(refunded > 0 && { refund: { part: `from recipient ${firstRefunded}`, amount: refunded } }),
        isLast
      }
    })
  )
}

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
  firstRefunded: 0
}

function hasCounts(change: CountChange): boolean {
  return Object.values(COUNTS).some((name) => change[name] !== 0)
}
