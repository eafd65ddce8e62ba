/** SMPP 3.4, paragraph 3.2: sequence numbers go from 1 to this. */
export const SEQUENCE_MAX = 0x7fffffff

/** Which numbers wait for their answer: the session's own map or set of pending requests. */
export interface SequencesInUse {
  has(sequence: number): boolean
  readonly size: number
}

/** One per session, for all it sends: an enquire_link that counted for itself would be taken for a submit. */
export class Sequence {
  readonly #inUse: SequencesInUse
  #next: number

  constructor(inUse: SequencesInUse, first = 1) {
    this.#inUse = inUse
    this.#next = first
  }

  /** A number that no pending request has. After the last comes 1 again. */
  next(): number {
    // Among one more candidates than there are numbers in use, one is free.
    for (let tries = this.#inUse.size; tries >= 0; tries--) {
      const sequence = this.#next
      this.#next = sequence === SEQUENCE_MAX ? 1 : sequence + 1
      if (!this.#inUse.has(sequence)) return sequence
    }
    throw new Error('Every sequence number is in use.')
  }
}
