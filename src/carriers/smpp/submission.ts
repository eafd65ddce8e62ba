import { databaseNowMs } from '../../database/clock.ts'
import { statusName } from '../../smpp/commands.ts'
import type { OutboundMessage, SubmitOutcome } from '../carrier.ts'
import type { Bind } from './bind.ts'
import type { SmppSession } from './session.ts'
import type { SmppSettings } from './smpp-settings.ts'
import { toSubmit } from './submit-fields.ts'
import { type AnswerMeaning, answerMeaning } from './submit-outcomes.ts'
import type { NoAnswer, SubmitAnswer, SubmitWaiter } from './submits-pending.ts'
import { type TextParts, toPartFields } from './text-parts.ts'

/*
 * One message on its way through one session. Its parts leave one after the other, each when the last one was accepted.
 * Until the first part is written, every failure is a retry. From then on a lost link is a doubt. When the carrier is
 * too busy for a later part, the part waits: a retry of the whole would bring the accepted parts a second time.
 */

/** What a submission needs of its carrier. */
export interface SubmissionDesk {
  readonly settings: SmppSettings
  readonly partRetryMs: number
  readonly partWaitMs: number
  onAnswered(status: number, meaning: AnswerMeaning, sentAtMs: number): void
  onSilent(): void
  onLate(submission: Submission, status: number, outcome: SubmitOutcome | undefined): void
  /** Its next part may leave when it is its turn. */
  queuePart(submission: Submission, delayMs: number): void
  onSettled(submission: Submission): void
}

/** After a submit that was not tried: the link comes back within seconds, or the caller takes another carrier. */
const UNWRITTEN_DELAY_SECONDS = 2

export class Submission implements SubmitWaiter {
  readonly message: OutboundMessage
  readonly queuedAtMs = performance.now()
  /** The next of several parts gives up waiting then. */
  partUntilMs = Number.POSITIVE_INFINITY
  /** All its parts go through this session; undefined before the first. */
  session: SmppSession | undefined
  #bind: Bind | undefined
  readonly #desk: SubmissionDesk
  readonly #resolve: (outcome: SubmitOutcome) => void
  readonly #parts: TextParts
  readonly #reference: number
  readonly #carrierMessageIds: string[] = []
  #position = 0
  #sentAtMs = 0
  #isSettled = false

  constructor(
    desk: SubmissionDesk,
    options: {
      message: OutboundMessage
      parts: TextParts
      /** Of its parts; unused when there is one. */
      reference: number
      resolve: (outcome: SubmitOutcome) => void
    }
  ) {
    this.#desk = desk
    this.message = options.message
    this.#parts = options.parts
    this.#reference = options.reference
    this.#resolve = options.resolve
  }

  get isBegun(): boolean {
    return this.#position > 0
  }

  /** Checked right before it leaves: it may have waited long, here and with the caller. */
  get isExpired(): boolean {
    return databaseNowMs() >= this.message.expiresAt.getTime()
  }

  /** Takes a slot of the bind's window, until it is settled. */
  begin(bind: Bind): void {
    this.#bind = bind
    this.session = bind.session
    bind.windowUsed++
  }

  /** Hands the next part to the session. */
  leave(): void {
    const part = toPartFields(this.#parts, this.#position, this.#reference, this.#desk.settings)
    this.#sentAtMs = performance.now()
    this.#bind?.rate.count()
    try {
      this.session?.submit(toSubmit(this.message, this.#parts.dataCoding, part), this)
    } catch (error) {
      // The sender or the number does not fit a PDU: a retry would fail as well.
      this.reject(error instanceof Error ? error.message : String(error))
    }
  }

  onAnswer(answer: SubmitAnswer): void {
    const meaning = answerMeaning(answer.status)
    this.#bind?.onAnswer()
    this.#desk.onAnswered(answer.status, meaning, this.#sentAtMs)
    const outcome = this.#outcomeOf(answer, meaning)
    if (outcome) this.settle(outcome)
    else if (meaning.kind === 'accepted') this.#nextPart()
    else this.#repeatPart(statusName(answer.status))
  }

  onNoAnswer(why: NoAnswer): void {
    if (why === 'silent') this.#desk.onSilent()
    const isUntouched = why === 'unwritten' && !this.isBegun
    if (isUntouched) this.retry('The link went before it was written.', UNWRITTEN_DELAY_SECONDS)
    else this.doubt(DOUBTS[why])
  }

  onLateAnswer(answer: SubmitAnswer): void {
    const outcome = this.#outcomeOf(answer, answerMeaning(answer.status))
    this.#desk.onLate(this, answer.status, outcome)
  }

  expire(): void {
    if (this.isBegun) this.reject('expired')
    else this.settle({ kind: 'expired' })
  }

  /** No segment of the message was sent. */
  retry(reason: string, delaySeconds: number): void {
    this.settle({ kind: 'retry', reason, delaySeconds, isUntried: true })
  }

  reject(reason: string): void {
    this.settle({ kind: 'rejected', reason, carrierMessageIds: this.#carrierMessageIds })
  }

  doubt(reason: string): void {
    this.settle({ kind: 'in-doubt', reason })
  }

  settle(outcome: SubmitOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#bind) this.#bind.windowUsed--
    this.#desk.onSettled(this)
    this.#resolve(outcome)
  }

  /** Undefined while this answer decides nothing: parts are missing, or the carrier was too busy for one. */
  #outcomeOf(answer: SubmitAnswer, meaning: AnswerMeaning): SubmitOutcome | undefined {
    switch (meaning.kind) {
      case 'accepted':
        this.#carrierMessageIds.push('messageId' in answer ? answer.messageId : '')
        this.#position++
        if (this.#position < this.#parts.bodies.length) return undefined
        return { kind: 'accepted', carrierMessageIds: this.#carrierMessageIds }
      case 'throttled':
      case 'temporary':
        if (this.isBegun) return undefined
        return { kind: 'retry', reason: statusName(answer.status), delaySeconds: meaning.delaySeconds }
      case 'refused':
        return { kind: 'rejected', reason: statusName(answer.status), carrierMessageIds: this.#carrierMessageIds }
      default:
        return meaning satisfies never
    }
  }

  #nextPart(): void {
    this.partUntilMs = performance.now() + this.#desk.partWaitMs
    this.#desk.queuePart(this, 0)
  }

  #repeatPart(reason: string): void {
    const { partRetryMs } = this.#desk
    if (performance.now() + partRetryMs < this.partUntilMs) this.#desk.queuePart(this, partRetryMs)
    else this.doubt(`The carrier took some of its parts; to the next it says ${reason}.`)
  }
}

const DOUBTS: Readonly<Record<NoAnswer, string>> = {
  unwritten: 'The link was lost after some of its parts were taken.',
  silent: 'The carrier did not answer in time.',
  lost: 'The link was lost before the carrier answered.',
  unreadable: 'The answer of the carrier can’t be read.'
}
