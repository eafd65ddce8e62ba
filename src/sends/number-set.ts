import { randomInt } from 'node:crypto'

/**
 * The phone numbers of a message so far. A Set of a million strings takes 100 MB; this class takes 16 MB. A number in
 * E.164 has at most 15 digits, so it is an integer that a float holds exactly.
 */
export class NumberSet {
  /**
   * The first few numbers. Most messages have one recipient, and a table for it costs more than the rest of the
   * message.
   */
  readonly #few: number[] = []
  #slots: Float64Array | undefined
  #size = 0

  /** Adds a number such as +33612345678; false if the set has it already. */
  add(e164: string): boolean {
    if (!this.#slots) return this.#addToFew(Number(e164))
    if (this.#size * 2 >= this.#slots.length) this.#slots = grown(this.#slots)
    const isNew = place(this.#slots, Number(e164))
    if (isNew) this.#size++
    return isNew
  }

  #addToFew(value: number): boolean {
    if (this.#few.includes(value)) return false
    this.#size = this.#few.push(value)
    if (this.#size === FEW_MAX) {
      this.#slots = new Float64Array(1024)
      for (const known of this.#few) place(this.#slots, known)
    }
    return true
  }
}

const FEW_MAX = 16

function grown(slots: Float64Array): Float64Array {
  const larger = new Float64Array(slots.length * 2)
  for (const value of slots) if (value !== 0) place(larger, value)
  return larger
}

/** Random in each process: with a known seed, an attacker could choose numbers that all hash to one slot. */
const SEED = randomInt(2 ** 32 - 1)

function hashOf(value: number): number {
  let hash = Math.imul((value % 0x100000000) ^ SEED, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15) ^ (value / 0x100000000), 0x85ebca6b ^ SEED)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Open addressing: a number takes the next free slot after its hash. */
function place(slots: Float64Array, value: number): boolean {
  const mask = slots.length - 1
  let slot = hashOf(value) & mask
  while (slots[slot] !== 0) {
    if (slots[slot] === value) return false
    slot = (slot + 1) & mask
  }
  slots[slot] = value
  return true
}
