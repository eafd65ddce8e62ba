import { strict as assert } from 'node:assert'
import type { Carrier, SubmitOutcome } from '../carriers/carrier.ts'
import { canonicalId } from '../carriers/message-ids.ts'
import type { Patience } from '../fallback/follow-waits.ts'
import type { Log } from '../http/log.ts'
import type { Channel } from '../messages/message.ts'
import { isTracing } from '../traces/tracer.ts'
import type { PendingIds } from './pending-ids.ts'
import type { PreparedSubmit } from './prepare-slices.ts'
import { withoutFallback } from './settle-outcomes.ts'
import { traceSubmits } from './trace-submits.ts'
import type { Unreachable, UnsettledOutcome } from './unsettled-outcomes.ts'

/** Stands where no RCS carrier serves the number: every recipient falls back at once. */
export interface NoCarrier {
  name: null
  capacity: number
  pacePerSecond: null
  submit(): Promise<Unreachable>
}

export interface HandOverOptions {
  carrier: Carrier | NoCarrier
  pendingIds: PendingIds
  /** Only for RCS. */
  rcs?: {
    patience: Patience
    /** Whether a message that is submitted twice arrives once. */
    isRepeatable: boolean
    /** Whether the account may use the carrier's agent now. */
    mayUse(accountId: number): boolean
  }
  /** With the country and the time of its submit, if the carrier was asked. */
  onOutcome?(outcome: SubmitOutcome, country?: string, submittedAt?: Date): void
  log: Log
}

const AGENT_MISSING: SubmitOutcome = {
  kind: 'unreachable',
  reason: 'This account may no longer use the agent.',
  isAgentMissing: true
}
const ACCEPTED_ELSEWHERE: SubmitOutcome = { kind: 'accepted', carrierMessageIds: [] }
const EXPIRED_THERE: SubmitOutcome = {
  kind: 'retry',
  reason: 'Its time was over, and the platform may have it.',
  delaySeconds: 1,
  mayBeThere: true,
  isUntried: true
}

/**
 * The outcome of an RCS that the platform may have since an earlier submit. To end it here would leave it there: when its
 * batch is claimed next, or now if its message was cancelled, it is revoked.
 */
function toRepeated(answer: SubmitOutcome): SubmitOutcome {
  if (answer.kind === 'expired') return EXPIRED_THERE
  return answer.kind === 'retry' ? { ...answer, mayBeThere: true } : answer
}

const NO_IDS: readonly string[] = []

/** Hands prepared recipients to one carrier. Each has one outcome, whatever the carrier does. */
export class HandOver {
  readonly #options: HandOverOptions
  readonly #onUnsettled: (outcome: UnsettledOutcome) => void

  constructor(options: HandOverOptions, onUnsettled: (outcome: UnsettledOutcome) => void) {
    this.#options = options
    this.#onUnsettled = onUnsettled
  }

  submit(submits: readonly PreparedSubmit[], submittedAt: Date): void {
    if (isTracing()) traceSubmits(submits, { carrier: this.#options.carrier.name, channel: this.#channel })
    for (const submit of submits) this.#submitOne(submit, submittedAt)
  }

  get #channel(): Channel {
    return this.#options.rcs ? 'rcs' : 'sms'
  }

  /** Not an async function: a campaign has many submits, and each promise costs. */
  #submitOne(submit: PreparedSubmit, submittedAt: Date): void {
    const { carrier, rcs } = this.#options
    const { outbound, mayBeAt, accountId } = submit
    // Another carrier may have it already, and a second submit would be a second message. So it counts as sent, and waits for
    // the report of that carrier.
    if (mayBeAt !== null && mayBeAt !== carrier.name) {
      this.#onAnswer(submit, submittedAt, { at: mayBeAt, answer: ACCEPTED_ELSEWHERE })
      return
    }
    // What the carrier may have already has left: only a repeat tells what became of it.
    if (rcs && mayBeAt === null && !rcs.mayUse(accountId)) {
      this.#onAnswer(submit, submittedAt, { at: carrier.name, answer: AGENT_MISSING })
      return
    }
    let answered: Promise<SubmitOutcome>
    try {
      answered = carrier.submit(outbound)
    } catch (error) {
      answered = Promise.reject(error)
    }
    answered.then(
      (answer) => this.#onAnswer(submit, submittedAt, { at: carrier.name, answer }),
      (error) => this.#onAnswer(submit, submittedAt, { at: carrier.name, answer: this.#onBug(error) })
    )
  }

  #onBug(error: unknown): SubmitOutcome {
    const { carrier, rcs, log } = this.#options
    log.error({ carrier: carrier.name, err: error }, 'bug: carrier threw from submit()')
    const reason = 'The submission failed inside Chappe.'
    return rcs?.isRepeatable
      ? { kind: 'retry', reason, delaySeconds: 60, mayBeThere: true }
      : { kind: 'in-doubt', reason }
  }

  #onAnswer(
    { held, outbound, country, mayBeAt, accountId, messageId, position, span }: PreparedSubmit,
    submittedAt: Date,
    { at, answer }: { at: string | null; answer: SubmitOutcome }
  ): void {
    const { pendingIds, rcs, onOutcome } = this.#options
    const outcome = !rcs ? withoutFallback(answer) : mayBeAt === null ? answer : toRepeated(answer)
    span?.onAnswer(outcome)
    const isAsked = answer !== ACCEPTED_ELSEWHERE && answer !== AGENT_MISSING
    if (isAsked) onOutcome?.(outcome, country, submittedAt)
    else onOutcome?.(outcome)
    if (outcome.kind === 'unreachable') {
      this.#onUnsettled({ accountId, messageId, position, held, outcome })
      return
    }
    assert(at !== null) // Without a carrier, every outcome is `unreachable`.
    const canonicalIds = outcome.kind === 'accepted' ? outcome.carrierMessageIds.map(canonicalId) : NO_IDS
    const isSingle = canonicalIds.length === 1 && !rcs
    const submittedAtMs = submittedAt.getTime()
    pendingIds.begin(
      at,
      canonicalIds,
      isSingle ? { accountId, messageId, position, phone: outbound.to, country, submittedAtMs } : undefined
    )
    this.#onUnsettled({
      accountId,
      messageId,
      position,
      held,
      carrier: at,
      outcome,
      canonicalIds,
      batch: held.batch,
      lease: held.batch,
      submittedAt,
      channel: this.#channel,
      isPaid: held.isPaid,
      patience: rcs?.patience
    })
  }
}
