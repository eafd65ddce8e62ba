import { databaseNowMs } from '../../database/clock.ts'
import type { Log } from '../../http/log.ts'
import type { CarrierLimits, SubmitOutcome } from '../carrier.ts'
import type { CarrierCounts } from '../carrier-counts.ts'
import { Fifo } from '../fifo.ts'
import { Pace } from '../pace.ts'
import { Throughput } from '../throughput.ts'
import type { Bind } from './bind.ts'
import type { SmppSettings } from './smpp-settings.ts'
import type { Submission, SubmissionDesk } from './submission.ts'
import type { AnswerMeaning } from './submit-outcomes.ts'
import type { SmppTimings } from './timings.ts'

/*
 * Which message leaves next, when, and over which bind. A message that has begun goes before the others: its first
 * parts wait at the carrier and at the phone for the rest. Each submit_sm takes from the pace and from the throughput.
 * Each message takes a slot of its bind's window from its first part to its last answer.
 */

interface SubmitQueueOptions {
  settings: SmppSettings
  timings: SmppTimings
  limits: CarrierLimits
  binds: readonly Bind[]
  counts: CarrierCounts<number>
  onLateOutcome(reference: number, outcome: SubmitOutcome, submittedAt: Date): void
  log: Log
}

/** The caller keeps to the capacity; this only bounds the memory when it does not. */
const WAITING_MAX = 20_000
const WAITED_DELAY_SECONDS = 1

export class SubmitQueue implements SubmissionDesk {
  readonly settings: SmppSettings
  readonly partRetryMs: number
  readonly partWaitMs: number
  readonly #options: SubmitQueueOptions
  readonly #pace = new Pace()
  readonly #throughput: Throughput | undefined
  readonly #waiting = new Fifo<Submission>()
  /** Messages whose next part may leave. */
  readonly #parts = new Fifo<Submission>()
  /** Messages whose next part waits for a carrier that was too busy. */
  readonly #pausing = new Map<Submission, NodeJS.Timeout>()
  #paceTimer: NodeJS.Timeout | undefined
  #isPumping = false
  /** Messages that hold a slot. */
  #leavingCount = 0
  #isStopping = false
  #drained = Promise.withResolvers<void>()

  constructor(options: SubmitQueueOptions) {
    const { settings, timings, limits, log } = options
    this.settings = settings
    this.partRetryMs = timings.partRetryMs
    this.partWaitMs = timings.partWaitMs
    this.#options = options
    if (settings.throughput === 0) return
    this.#throughput = new Throughput({
      carrier: settings.name,
      perSecond: settings.throughput,
      limits,
      onGranted: () => this.pump(),
      log
    })
  }

  get isFull(): boolean {
    return this.#waiting.size >= WAITING_MAX
  }

  /** Null is no limit. */
  get pacePerSecond(): number | null {
    const { throughput } = this.settings
    const { perSecond } = this.#pace
    if (perSecond === null) return throughput === 0 ? null : throughput
    return throughput === 0 ? perSecond : Math.min(perSecond, throughput)
  }

  push(submission: Submission): void {
    this.#waiting.push(submission)
    this.pump()
  }

  /** Lets leave what may. Called whenever something changed that may have held it back. */
  pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      while (this.#pumpOne());
    } finally {
      this.#isPumping = false
    }
  }

  /** Once a second. */
  tick(): void {
    const nowMs = performance.now()
    this.#pace.tick(nowMs)
    for (let first = this.#parts.first; first && nowMs >= first.partUntilMs; first = this.#parts.first) {
      this.#parts.shift()
      first.doubt('The carrier took some of its parts; the others waited too long.')
    }
    for (let first = this.#waiting.first; first; first = this.#waiting.first) {
      if (nowMs - first.queuedAtMs < this.#options.timings.queueWaitMs) break
      this.#waiting.shift()
      first.retry('It waited too long for its turn.', WAITED_DELAY_SECONDS)
    }
    this.pump()
  }

  /** No new message leaves. Settles when all begun messages are answered, or their time is over. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#giveBackWaiting('The carrier is being stopped.')
    const timer = setTimeout(() => this.#drained.resolve(), this.settings.answerTimeout * 1000)
    if (this.#leavingCount > 0) await this.#drained.promise
    clearTimeout(timer)
    clearTimeout(this.#paceTimer)
    this.#throughput?.stop()
    const begun = [...this.#pausing.keys(), ...this.#parts.drain()]
    for (const submission of begun) submission.doubt('Stopped after some of its parts were taken.')
  }

  onAnswered(status: number, meaning: AnswerMeaning, sentAtMs: number): void {
    this.#options.counts.countAnswer(status)
    // An error that passes also says that the carrier can't take more now: to go on at the same pace would not help it.
    const isTooMuch = meaning.kind === 'throttled' || meaning.kind === 'temporary'
    if (isTooMuch) this.#pace.onThrottled(sentAtMs, performance.now())
    else this.#pace.onAccepted(sentAtMs, performance.now())
  }

  onSilent(): void {
    this.#options.counts.count('silences')
  }

  onLate({ message, queuedAtMs }: Submission, status: number, outcome: SubmitOutcome | undefined): void {
    this.#options.counts.count('lateAnswers')
    this.#options.counts.countAnswer(status)
    const submittedAt = new Date(databaseNowMs() - (performance.now() - queuedAtMs))
    if (outcome) this.#options.onLateOutcome(message.reference, outcome, submittedAt)
  }

  queuePart(submission: Submission, delayMs: number): void {
    if (delayMs === 0) {
      this.#parts.push(submission)
      this.pump()
      return
    }
    const timer = setTimeout(() => {
      this.#pausing.delete(submission)
      this.queuePart(submission, 0)
    }, delayMs)
    this.#pausing.set(submission, timer)
  }

  onSettled(submission: Submission): void {
    clearTimeout(this.#pausing.get(submission))
    this.#pausing.delete(submission)
    if (!submission.session) return
    this.#leavingCount--
    if (this.#isStopping && this.#leavingCount === 0) this.#drained.resolve()
    this.pump()
  }

  /** False when nothing more can leave now. */
  #pumpOne(): boolean {
    const part = this.#parts.first
    if (!part) return this.#pumpWaiting()
    if (!part.session?.isBound) {
      this.#parts.shift()
      part.onNoAnswer('unwritten')
      return true
    }
    if (!part.session.canSubmit) {
      // The socket of its bind is full, and it can't change binds; messages behind it need not wait for that.
      this.#parts.shift()
      this.#parts.push(part)
      return this.#pumpWaiting()
    }
    return this.#leaveFrom(this.#parts, part)
  }

  #pumpWaiting(): boolean {
    const submission = this.#waiting.first
    if (!submission) return false
    const bind = this.#chooseBind()
    if (!bind && !this.#options.binds.some(({ isBound }) => isBound)) this.#giveBackWaiting('The carrier is not bound.')
    if (!bind) return false
    return this.#leaveFrom(this.#waiting, submission, bind)
  }

  /** The first of a queue, unless it is too late for it, or too early. */
  #leaveFrom(queue: Fifo<Submission>, submission: Submission, bind?: Bind): boolean {
    const { isExpired } = submission
    if (!isExpired && !this.#takeTurn()) return false
    queue.shift()
    if (isExpired) submission.expire()
    else this.#leave(submission, bind)
    return true
  }

  #leave(submission: Submission, bind: Bind | undefined): void {
    if (bind) {
      submission.begin(bind)
      this.#leavingCount++
    }
    this.#options.counts.count('submits')
    submission.leave()
  }

  /** The bind with the most room, so that none runs full while another idles. */
  #chooseBind(): Bind | undefined {
    let best: Bind | undefined
    for (const bind of this.#options.binds) {
      if (bind.hasRoom && (!best || bind.windowUsed < best.windowUsed)) best = bind
    }
    return best
  }

  #takeTurn(): boolean {
    const nowMs = performance.now()
    const waitMs = this.#pace.waitMs(nowMs)
    if (waitMs > 0) {
      this.#pumpLater(waitMs)
      return false
    }
    if (this.#throughput && !this.#throughput.take(this.#waiting.size + this.#parts.size, nowMs)) return false
    this.#pace.take()
    return true
  }

  #pumpLater(waitMs: number): void {
    this.#paceTimer ??= setTimeout(() => {
      this.#paceTimer = undefined
      this.pump()
    }, waitMs)
  }

  #giveBackWaiting(reason: string): void {
    for (const submission of this.#waiting.drain()) submission.retry(reason, WAITED_DELAY_SECONDS)
  }
}
