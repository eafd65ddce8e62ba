import { strict as assert } from 'node:assert'
import type { BarePdu, MessageAnswerPdu } from '../../smpp/pdu.ts'
import type { SequencesInUse } from '../../smpp/sequence.ts'

/** The answer to a submit, or a generic_nack in its place. */
export type SubmitAnswer = MessageAnswerPdu | BarePdu

/** Unwritten: nothing of it reached the socket. Silent: no answer in time. Lost: the link went first. */
export type NoAnswer = 'unwritten' | 'silent' | 'lost' | 'unreadable'

/** Waits for the answer to a submit. One of the first two is called, once; the last only after `silent`. */
export interface SubmitWaiter {
  onAnswer(answer: SubmitAnswer): void
  onNoAnswer(why: NoAnswer): void
  onLateAnswer(answer: SubmitAnswer): void
}

interface Pending {
  waiter: SubmitWaiter
  /** By the monotonic clock: when it is given up, and once it is late, when it is forgotten. */
  untilMs: number
  /** Ordinal of this submit, from 1. */
  ordinal: number
}

/** More than two minutes of a full default window without answers; about 2 MB. */
const LATE_MAX = 10_000

interface SubmitsPendingOptions {
  answerTimeoutMs: number
  lateAnswersMs: number
  /** The monotonic clock. */
  nowMs?: () => number
}

/** The submits of one session that wait for their answer, and the submits whose answer is late. */
export class SubmitsPending implements SequencesInUse {
  // All of a session wait equally long, so the order they were added in is the order of their deadlines.
  readonly #pending = new Map<number, Pending>()
  readonly #late = new Map<number, Pending>()
  readonly #answerTimeoutMs: number
  readonly #lateAnswersMs: number
  readonly #nowMs: () => number
  #added = 0
  #written = 0

  constructor({ answerTimeoutMs, lateAnswersMs, nowMs = () => performance.now() }: SubmitsPendingOptions) {
    this.#answerTimeoutMs = answerTimeoutMs
    this.#nowMs = nowMs
    this.#lateAnswersMs = lateAnswersMs
  }

  /** How many of their slots in the window are taken. */
  get count(): number {
    return this.#pending.size
  }

  get size(): number {
    return this.#pending.size + this.#late.size
  }

  has(sequence: number): boolean {
    return this.#pending.has(sequence) || this.#late.has(sequence)
  }

  add(sequence: number, waiter: SubmitWaiter): void {
    assert(!this.has(sequence), 'a sequence number waits for one answer')
    const untilMs = this.#nowMs() + this.#answerTimeoutMs
    this.#pending.set(sequence, { waiter, untilMs, ordinal: ++this.#added })
  }

  /** All that were added so far are about to be written. */
  markWritten(): void {
    this.#written = this.#added
  }

  /** False when no submit waits for this answer. */
  answer(answer: SubmitAnswer): boolean {
    const { sequence } = answer
    const pending = this.#pending.get(sequence)
    if (pending) {
      this.#pending.delete(sequence)
      pending.waiter.onAnswer(answer)
      return true
    }
    const late = this.#late.get(sequence)
    if (!late) return false
    this.#late.delete(sequence)
    late.waiter.onLateAnswer(answer)
    return true
  }

  /** The answer came, but can't be read. */
  giveUp(sequence: number): void {
    const pending = this.#pending.get(sequence)
    this.#pending.delete(sequence)
    pending?.waiter.onNoAnswer('unreadable')
  }

  /** Frees the slots of submits whose time is over. Their numbers are kept, so that a late answer still finds them. */
  sweep(nowMs: number): void {
    for (const [sequence, late] of this.#late) {
      if (late.untilMs > nowMs && this.#late.size < LATE_MAX) break
      this.#late.delete(sequence)
    }
    for (const [sequence, pending] of this.#pending) {
      if (pending.untilMs > nowMs) break
      this.#pending.delete(sequence)
      this.#late.set(sequence, { ...pending, untilMs: nowMs + this.#lateAnswersMs })
      pending.waiter.onNoAnswer('silent')
    }
  }

  /** Gives each as much time more. */
  postpone(byMs: number): void {
    for (const pending of this.#pending.values()) pending.untilMs += byMs
  }

  /** The session is over: no answer will come any more. */
  close(): void {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    this.#late.clear()
    for (const { waiter, ordinal } of pending) waiter.onNoAnswer(ordinal > this.#written ? 'unwritten' : 'lost')
  }
}
