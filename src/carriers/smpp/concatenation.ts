import { randomFillSync } from 'node:crypto'

/** A power of two, so that the remainder is a mask. 128 KB. */
const CELLS = 65_536

/**
 * References for the parts of long messages. A phone joins parts by sender and reference, so two messages of one sender
 * to one phone must not share one. Each pair counts in a cell of its own, or shares one with others, which only makes
 * it count faster: the memory is fixed, and nothing is ever forgotten.
 */
export class ConcatenationReferences {
  // Not from 0: another process, or this one before its last start, would have used the same.
  readonly #cells = randomFillSync(new Uint16Array(CELLS))

  /** 16 bits; a header with 8 takes the lower ones, which also differ each time. */
  next(from: string, to: string): number {
    const cell = hash(to, hash(from, 0x811c9dc5)) & (CELLS - 1)
    const reference = this.#cells[cell] ?? 0
    this.#cells[cell] = reference + 1
    return reference
  }
}

/** FNV-1a. */
function hash(text: string, seed: number): number {
  let value = seed
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value ^ (value >>> 16)
}
