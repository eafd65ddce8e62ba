import type { RcsReport } from '../carriers/posted-event.ts'
import { fellBack, RECIPIENT_STATES, type RecipientState } from '../recipients/recipient.ts'
import type { Step } from '../recipients/timeline.store.ts'

/*
 * What follows from reports on an RCS. Reports come twice, late and in any order: the state of the recipient decides, never
 * the order of the reports.
 *
 * - Not sent yet, as far as we know: the answer to its submit is still to be stored, and the report is tried again later.
 * - Sent: DELIVERED and READ move the recipient. An expiry begins its fallback, unless it arrived too.
 * - Delivered: READ moves the recipient.
 * - Fallen back, and its SMS still waits: DELIVERED and READ stop the SMS and move the recipient. While the SMS is being
 *   submitted, the report is tried again later.
 * - Fallen back and its SMS has left, or ended otherwise: nothing moves any more. A report that contradicts becomes a step
 *   of the timeline.
 */

export type Decision =
  | { kind: 'too-early' }
  | {
      kind: 'move'
      from: RecipientState
      to: RecipientState
      deliveredAt: Date
      readAt: Date
      word: string
      steps: TimelineStep[]
    }
  /** It arrived by RCS, and its SMS waits to be sent. */
  | { kind: 'stop-sms'; to: RecipientState; deliveredAt: Date; readAt: Date; word: string }
  | { kind: 'grace'; steps: TimelineStep[] }
  /** READ came before DELIVERED: only now the time of delivery is known. */
  | { kind: 'earlier'; deliveredAt: Date; steps: TimelineStep[] }
  /** Only the timeline changes. */
  | { kind: 'stay'; steps: TimelineStep[] }

type TimelineStep = Pick<Step, 'step' | 'detail'>

/** The platform's own words. */
const WORDS: Record<RcsReport['kind'], string> = {
  delivered: 'DELIVERED',
  read: 'READ',
  expired: 'TTL_EXPIRATION_REVOKED',
  'expired-not-revoked': 'TTL_EXPIRATION_REVOKE_FAILED'
}

const { waiting, submitting, sent, delivered, read } = RECIPIENT_STATES

/** Decides by all due reports on one recipient. */
export function decide(
  recipient: { state: RecipientState; channel: 'sms' | null },
  reports: readonly RcsReport[]
): Decision {
  const { state } = recipient
  const arrivals = reports.filter(({ kind }) => kind === 'delivered' || kind === 'read')
  const expiries = reports.filter(({ kind }) => kind === 'expired' || kind === 'expired-not-revoked')
  const [readAt, deliveredAt] = [earliest(arrivals, 'read'), earliest(arrivals, 'delivered')]
  const at = deliveredAt ?? readAt
  if (fellBack(recipient)) {
    if (!at || (state !== waiting && state !== submitting)) return { kind: 'stay', steps: arrivals.map(toAfterAll) }
    if (state === submitting) return { kind: 'too-early' }
    const to = readAt ? read : delivered
    return { kind: 'stop-sms', to, deliveredAt: at, readAt: readAt ?? at, word: wordOf(deliveredAt) }
  }
  if (state === waiting || state === submitting) return { kind: 'too-early' }
  if (state !== sent && state !== delivered && state !== read) return { kind: 'stay', steps: arrivals.map(toLate) }

  const to = readAt ? read : deliveredAt ? delivered : state
  // An arrival outweighs an expiry.
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

/** The timeline step of a report that was too early for as long as it was kept. */
export function toLate({ kind }: RcsReport): TimelineStep {
  return { step: 'late_report', detail: WORDS[kind] }
}

function toAfterAll({ kind }: RcsReport): TimelineStep {
  return kind === 'delivered'
    ? { step: 'delivered_after_all', detail: 'The RCS was delivered although it had fallen back to SMS.' }
    : { step: 'late_report', detail: WORDS[kind] }
}

function toExpiry({ kind }: RcsReport): TimelineStep {
  return kind === 'expired'
    ? { step: 'revoked', detail: `${WORDS[kind]}: its time was over, and the platform revoked it.` }
    : { step: 'revoke_failed', detail: `${WORDS[kind]}: its time was over, but it may still arrive.` }
}

function earliest(reports: readonly RcsReport[], wanted: RcsReport['kind']): Date | undefined {
  const times = reports.filter(({ kind }) => kind === wanted).map(({ at }) => at.getTime())
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}
