import type { RcsReport } from '../carriers/posted-event.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import type { Step } from '../recipients/timeline.store.ts'

/*
 * What follows from what the platform says of an RCS. Reports come twice, late and in any order, so it is decided by where
 * the recipient is, never by what came before:
 *
 * - It is not sent yet, as far as we know: its answer is still to be stored, and the report is looked at again later.
 * - Sent: DELIVERED and READ move it. That its time to live is over begins the way to its fallback, unless it arrived too.
 * - Delivered: READ moves it.
 * - Fallen back, and its SMS still waits: DELIVERED and READ stop the SMS and move it. While the SMS is being submitted, the
 *   report is looked at again later.
 * - Fallen back and its SMS has left, or ended otherwise: nothing moves any more, and what contradicts is a step of its
 *   timeline.
 */

export type Decision =
  | { kind: 'too-early' }
  | { kind: 'move'; from: number; to: number; deliveredAt: Date; readAt: Date; word: string; steps: Told[] }
  /** It arrived by RCS, and its SMS waits to be sent. */
  | { kind: 'stop-sms'; to: number; deliveredAt: Date; readAt: Date; word: string }
  | { kind: 'grace'; steps: Told[] }
  /** It was read before we learned that it was delivered: only now it is known when. */
  | { kind: 'earlier'; deliveredAt: Date; steps: Told[] }
  /** Nothing but what the timeline tells of it. */
  | { kind: 'stay'; steps: Told[] }

type Told = Pick<Step, 'step' | 'detail'>

/** The platform's own words. */
const WORDS: Record<RcsReport['kind'], string> = {
  delivered: 'DELIVERED',
  read: 'READ',
  expired: 'TTL_EXPIRATION_REVOKED',
  'expired-not-revoked': 'TTL_EXPIRATION_REVOKE_FAILED'
}

const { waiting, submitting, sent, delivered, read } = RECIPIENT_STATES

/** By all reports on one recipient that are there to be looked at. */
export function decide(
  { state, channel }: { state: number; channel: 'sms' | null },
  reports: readonly RcsReport[]
): Decision {
  const arrivals = reports.filter(({ kind }) => kind === 'delivered' || kind === 'read')
  const expiries = reports.filter(({ kind }) => kind === 'expired' || kind === 'expired-not-revoked')
  const [readAt, deliveredAt] = [earliest(arrivals, 'read'), earliest(arrivals, 'delivered')]
  const at = deliveredAt ?? readAt
  if (channel !== null) {
    if (!at || (state !== waiting && state !== submitting)) return { kind: 'stay', steps: arrivals.map(toAfterAll) }
    if (state === submitting) return { kind: 'too-early' }
    const to = readAt ? read : delivered
    return { kind: 'stop-sms', to, deliveredAt: at, readAt: readAt ?? at, word: wordOf(deliveredAt) }
  }
  if (state === waiting || state === submitting) return { kind: 'too-early' }
  if (state !== sent && state !== delivered && state !== read) return { kind: 'stay', steps: arrivals.map(toLate) }

  const to = readAt ? read : deliveredAt ? delivered : state
  // Whatever else is said: what has arrived has not expired.
  if (at && to !== state && state !== read) {
    const steps = expiries.map(toLate)
    return { kind: 'move', from: state, to, deliveredAt: at, readAt: readAt ?? at, word: wordOf(deliveredAt), steps }
  }
  if (state === read && deliveredAt) return { kind: 'earlier', deliveredAt, steps: expiries.map(toLate) }
  if (state !== sent || expiries.length === 0) return { kind: 'stay', steps: expiries.map(toLate) }
  return { kind: 'grace', steps: expiries.map(toExpiry) }
}

function wordOf(deliveredAt: Date | undefined): string {
  return WORDS[deliveredAt ? 'delivered' : 'read']
}

/** What the timeline tells of a report that was too early for as long as it was kept. */
export function toLate({ kind }: RcsReport): Told {
  return { step: 'late_report', detail: WORDS[kind] }
}

function toAfterAll({ kind }: RcsReport): Told {
  return kind === 'delivered'
    ? { step: 'delivered_after_all', detail: 'The RCS was delivered although it had fallen back to SMS.' }
    : { step: 'late_report', detail: WORDS[kind] }
}

function toExpiry({ kind }: RcsReport): Told {
  return kind === 'expired'
    ? { step: 'revoked', detail: `${WORDS[kind]}: its time was over, and the platform took it back.` }
    : { step: 'revoke_failed', detail: `${WORDS[kind]}: its time was over, but it may still arrive.` }
}

function earliest(reports: readonly RcsReport[], wanted: RcsReport['kind']): Date | undefined {
  const times = reports.filter(({ kind }) => kind === wanted).map(({ at }) => at.getTime())
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}
