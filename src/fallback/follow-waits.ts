import type { Carrier, RevokeOutcome } from '../carriers/carrier.ts'
import type { CarrierHistory } from '../carriers/history.ts'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { type Ending, endingMove, keyOf, type Move } from '../recipients/move.ts'
import { moveRecipients } from '../recipients/move-recipients.ts'
import { RECIPIENT_STATES, toRecipientId } from '../recipients/recipient.ts'
import { insertSteps, type Step } from '../recipients/timeline.store.ts'
import {
  beginGrace,
  claimOver,
  claimRevocable,
  type DueWait,
  deleteWaits,
  extendWaits,
  isAnyOver,
  putOff,
  updateToReport
} from '../recipients/waits.store.ts'
import { tryTogether } from '../workers/failures.ts'
import { whileExtending } from '../workers/while-extending.ts'
import { type FallbackCounts, type FallbackRouting, fallBack, type RcsFailure } from './fall-back.ts'

/*
 * An RCS without a delivery report in time is revoked, so that no person gets both RCS and SMS. A report may still be on its
 * way, so a grace time follows. Then the RCS falls back. If the platform can't revoke the RCS now, it has expired there by
 * itself: its time to live is the time that we wait.
 */

const BATCH = 500
/** Work that outlasts its lease may run twice; the second run changes nothing. */
const LEASE_SECONDS = 10
const REVOKES_AT_ONCE = 50
/** The delay of a revoke whose carrier is not in use: it may come back. */
const CARRIER_SECONDS = 60
const TRIES_MAX = 4
/** Too late to revoke means delivered. The report may come late: it gets this many times the usual grace. */
const TOO_LATE_TIMES = 120

/** How long to wait for a delivery report, and then for one that is on its way. */
export interface Patience {
  reportSeconds: number
  graceSeconds: number
}

/** A little longer than the time to live at the platform, which usually reports the expiry first. */
export function patienceOf(fallbackSeconds: number): Patience {
  const graceSeconds = Math.min(5, Math.max(0.5, fallbackSeconds / 10))
  return { reportSeconds: fallbackSeconds + graceSeconds, graceSeconds }
}

export interface EndWaitsOptions {
  routing: FallbackRouting
  /** The start of this process. */
  startedAt: Date
  /** Whether stored reports still wait to be processed. */
  hasUnreadReports(): Promise<boolean>
  onFellBack(count: FallbackCounts): void
  /** Counts what was not delivered. */
  history?: CarrierHistory | undefined
}

/** For this long after a start, stored reports are processed before recipients fall back. */
const CATCH_UP_SECONDS = 60

/** Lets recipients fall back whose report did not come, not even in the grace time. */
export async function endWaits(
  pool: Pool,
  { routing, startedAt, hasUnreadReports, onFellBack, history }: EndWaitsOptions
): Promise<{ isMoreDue: boolean }> {
  const isCatchingUp = databaseNow().getTime() < startedAt.getTime() + CATCH_UP_SECONDS * 1000
  // Asked only if a wait is over: to look for unread reports takes longer.
  if (isCatchingUp && (!(await isAnyOver(pool, startedAt)) || (await hasUnreadReports()))) return { isMoreDue: false }
  const over = await claimOver(pool, { limit: BATCH, leaseSeconds: LEASE_SECONDS, startedAt })
  if (over.length === 0) return { isMoreDue: false }
  const failures = over.map((wait): RcsFailure => ({ ...wait, reason: NOT_DELIVERED, errorCode: 'rcs_not_delivered' }))
  const fallBackAll = async (some: readonly RcsFailure[]) =>
    onFellBack(await retryBusy(TRIES_MAX, () => pool.begin((database) => fallBack(database, some, routing, history))))
  await tryTogether(failures, fallBackAll)
  return { isMoreDue: over.length === BATCH }
}

/** Undefined when the carrier is no longer in use. */
export type CarrierOf = (name: string) => Pick<Carrier, 'revoke'> | undefined

/** Revokes RCS without a report in time, RCS of cancelled messages, and RCS of recipients that opted out or expired. */
export async function revokeDue(pool: Pool, carrierOf: CarrierOf): Promise<{ isMoreDue: boolean }> {
  const due = await claimRevocable(pool, { limit: REVOKES_AT_ONCE, leaseSeconds: LEASE_SECONDS })
  if (due.length === 0) return { isMoreDue: false }
  // The platform may be slow, and a call may need a token first.
  await whileExtending(
    () => extendWaits(pool, due, LEASE_SECONDS),
    async () =>
      applyRevokes(pool, await Promise.all(due.map(async (wait) => ({ wait, outcome: await revoke(carrierOf, wait) }))))
  )
  return { isMoreDue: due.length === REVOKES_AT_ONCE }
}

const NOT_DELIVERED = 'No delivery report came in time.'

interface Revoked {
  wait: DueWait
  outcome: RevokeOutcome
}

async function revoke(carrierOf: CarrierOf, wait: DueWait): Promise<RevokeOutcome> {
  const carrier = carrierOf(wait.carrier)
  if (!carrier) return { kind: 'retry', reason: 'its carrier is not in use any more', delaySeconds: CARRIER_SECONDS }
  if (!carrier.revoke) return { kind: 'retry', reason: 'its carrier can’t revoke', delaySeconds: CARRIER_SECONDS }
  return carrier.revoke({ reference: toRecipientId(wait), to: wait.phone })
}

async function applyRevokes(pool: Pool, revoked: readonly Revoked[]): Promise<void> {
  const awaited = revoked.filter(({ wait }) => wait.step === 'report')
  const isTooLate = ({ outcome }: Revoked) => outcome.kind === 'too-late'
  await pool.begin(async (database) => {
    await beginGrace(database, awaited.filter((one) => !isTooLate(one)).map(toWait))
    await beginGrace(database, awaited.filter(isTooLate).map(toWait), { times: TOO_LATE_TIMES, isTooLate: true })
    await insertSteps(
      database,
      awaited.map(({ wait, outcome }) => ({
        ...wait,
        step: stepOf(outcome),
        detail: detailOf(outcome)
      }))
    )
  })
  await endCancelled(
    pool,
    revoked.filter(({ wait }) => wait.step === 'cancelled')
  )
}

const toWait = ({ wait }: Revoked) => wait

function stepOf({ kind }: RevokeOutcome): Step['step'] {
  return kind === 'revoked' ? 'revoked' : 'revoke_failed'
}

function detailOf(outcome: RevokeOutcome): string {
  switch (outcome.kind) {
    case 'revoked':
      return 'No delivery report came in time: it was revoked.'
    case 'too-late':
      return 'No delivery report came in time, but the platform has nothing to revoke.'
    case 'retry':
      return `No delivery report came in time. It could not be revoked (${outcome.reason}), and has expired by itself.`
    default:
      return outcome satisfies never
  }
}

/** A revoked RCS ends its recipient: stopped or expired if that was the reason, otherwise cancelled. */
function toRevoked(wait: DueWait): Move {
  const end = wait.ending ? endingMove(wait.ending) : { to: RECIPIENT_STATES.cancelled, errorCode: null }
  const step = { ...REVOKED_STEPS[wait.ending ?? 'cancelled'], carrier: null }
  return { ...keyOf(wait), kind: 'decided', from: RECIPIENT_STATES.sent, ...end, refund: 'all', step }
}

const REVOKED_STEPS: Record<Ending | 'cancelled', Pick<Step, 'step' | 'detail'>> = {
  stopped: { step: 'stopped', detail: 'The number opted out, and the RCS was revoked before it arrived.' },
  expired: { step: 'expired', detail: 'Its time was over, and the RCS was revoked before it arrived.' },
  cancelled: { step: 'cancelled', detail: 'It was revoked before it arrived.' }
}

/**
 * For cancelled messages, and for recipients that opted out or expired. A revoked RCS ends with a refund. An RCS that was too
 * late to revoke waits for its report.
 */
async function endCancelled(pool: Pool, cancelled: readonly Revoked[]): Promise<void> {
  if (cancelled.length === 0) return
  const of = (kind: RevokeOutcome['kind']) => cancelled.filter(({ outcome }) => outcome.kind === kind).map(toWait)
  await retryBusy(TRIES_MAX, () =>
    pool.begin(async (database) => {
      const [revoked, tooLate] = [of('revoked'), of('too-late')]
      await insertSteps(
        database,
        tooLate.map((wait) => ({ ...wait, step: 'revoke_failed', detail: 'It was too late to revoke it.' }))
      )
      await moveRecipients(database, revoked.map(toRevoked))
      await deleteWaits(database, revoked)
      await updateToReport(database, tooLate)
      await putOff(
        database,
        cancelled.flatMap(({ wait, outcome }) =>
          outcome.kind === 'retry' ? [{ ...wait, delaySeconds: outcome.delaySeconds }] : []
        )
      )
    })
  )
}
