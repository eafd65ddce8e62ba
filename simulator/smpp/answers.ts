import { NO_TLVS } from '../../src/smpp/pdu.ts'
import type { Delays } from '../delays.ts'
import type { FaultState } from './fault-state.ts'
import type { SmscSession } from './smsc-session.ts'
import type { SmscStats } from './stats.ts'

export interface Answer {
  session: SmscSession
  sequence: number
  status: number
  messageId: string
  /** Called when the answer is sent, or dropped. */
  afterwards: (() => void) | undefined
}

/** A group that is not full goes out after this time, so that no answer waits for ever. */
const REORDER_WAIT_MS = 100

/** Answers submits as the faults allow: it may hold, delay, reorder or drop an answer, in this order. */
export class Answers {
  readonly #faults: FaultState
  readonly #delays: Delays
  readonly #stats: SmscStats
  #held: Answer[] = []
  #group: Answer[] = []

  constructor({ faults, delays, stats }: { faults: FaultState; delays: Delays; stats: SmscStats }) {
    this.#faults = faults
    this.#delays = delays
    this.#stats = stats
  }

  send(answer: Answer): void {
    const { areAnswersHeld, answerDelayMs } = this.#faults.conduct
    if (areAnswersHeld) this.#held.push(answer)
    else if (answerDelayMs > 0) this.#delays.run(answerDelayMs, () => this.#sendInOrder(answer))
    else this.#sendInOrder(answer)
  }

  get heldCount(): number {
    return this.#held.length
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const answer of held) this.send(answer)
  }

  #sendInOrder(answer: Answer): void {
    const { answersReordered } = this.#faults.conduct
    if (answersReordered <= 1 && this.#group.length === 0) {
      this.#sendNow(answer)
      return
    }
    const group = this.#group
    group.push(answer)
    if (group.length >= answersReordered) this.#sendGroup(group)
    else if (group.length === 1) this.#delays.run(REORDER_WAIT_MS, () => this.#sendGroup(group))
  }

  #sendGroup(group: Answer[]): void {
    if (group !== this.#group) return
    this.#group = []
    for (const answer of group.reverse()) this.#sendNow(answer)
  }

  #sendNow({ session, sequence, status, messageId, afterwards }: Answer): void {
    if (this.#faults.picks('droppedAnswers')) this.#stats.answersDropped++
    else if (!session.isClosed) {
      for (let copy = 0; copy < this.#faults.conduct.answerCopies; copy++) {
        session.write({ command: 'submit_sm_resp', status, sequence, messageId, tlvs: NO_TLVS })
      }
      this.#stats.answered++
    }
    afterwards?.()
  }
}
