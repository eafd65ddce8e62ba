import { strict as assert } from 'node:assert'

/** A key is 1 and the digits of a prefix, which a number of 64 bits holds exactly. */
const DIGITS_MAX = 15

/**
 * Finds the value of the longest prefix of a number. Two sorted arrays of numbers, 16 bytes a prefix: processes hold the lists
 * of all accounts, of 20,000 prefixes each.
 */
export class Prefixes {
  readonly #keys: Float64Array
  readonly #values: Float64Array
  /** Of the prefixes, the longest first. */
  readonly #lengths: readonly number[]

  /** Of two values for a prefix, the last counts. */
  constructor(entries: Iterable<readonly [prefix: string, value: number]>) {
    const byKey = new Map<number, number>()
    const lengths = new Set<number>()
    for (const [prefix, value] of entries) {
      assert(prefix.length <= DIGITS_MAX)
      lengths.add(prefix.length)
      byKey.set(Number(`1${prefix}`), value)
    }
    this.#keys = Float64Array.from(byKey.keys()).sort()
    this.#values = this.#keys.map((key) => byKey.get(key) as number)
    this.#lengths = [...lengths].sort((a, b) => b - a)
  }

  /** The number is E.164, with `+`. */
  find(e164: string): number | undefined {
    const [longest = 0] = this.#lengths
    beginnings[0] = 1
    let length = 0
    while (length < longest && length < e164.length - 1) {
      beginnings[length + 1] = (beginnings[length] as number) * 10 + e164.charCodeAt(length + 1) - ZERO
      length++
    }
    for (const candidate of this.#lengths) {
      if (candidate > length) continue
      const at = this.#indexOf(beginnings[candidate] as number)
      if (at >= 0) return this.#values[at]
    }
    return undefined
  }

  #indexOf(key: number): number {
    let low = 0
    let high = this.#keys.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.#keys[middle] as number
      if (found === key) return middle
      if (found < key) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  get size(): number {
    return this.#keys.length
  }

  *entries(): Generator<[prefix: string, value: number]> {
    for (const [index, key] of this.#keys.entries()) yield [String(key).slice(1), this.#values[index] as number]
  }
}

/** The keys of the beginnings of the number that is looked for, by their length. */
const beginnings = new Float64Array(DIGITS_MAX + 1)
const ZERO = 48
