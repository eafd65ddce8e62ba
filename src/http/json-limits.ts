import { randomInt } from 'node:crypto'

/*
 * Limits on JSON that are checked before it is parsed. `JSON.parse` itself has none: 64 MiB of `{},` took 40 s and 2
 * GB, and what it returns for 100,000 brackets ends every recursive function that looks at it.
 */

/** The deepest body, an RCS carousel, nests 7 levels. */
const DEPTH_MAX = 50
/** 100,000 recipients, and some objects inside each. */
const CONTAINERS_MAX = 1_000_000
/** 100,000 contacts with all their fields. */
const VALUES_MAX = 4_000_000

/**
 * 100,000 recipients, each with a property of its own. A name that comes again is cheap to parse: 4 million names took
 * 12 s.
 */
const NAMES_MAX = 100_000

const QUOTE = 34
const COLON = 58
const COMMA = 44
const BACKSLASH = 92

/** The limit that a JSON text exceeds; undefined if it can be parsed safely. One pass, in which strings are skipped. */
export function findJsonExcess(text: string): string | undefined {
  let depth = 0
  let containers = 0
  let commas = 0
  let stringStart = 0
  let stringEnd = 0
  const names = text.length > NAMES_MAX * NAME_LENGTH_MIN ? new NameCount() : undefined
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        stringStart = at
        stringEnd = endOfString(text, at)
        at = stringEnd
        break
      case COLON:
        if (names && names.add(text, stringStart, stringEnd) > NAMES_MAX)
          return `has more than ${NAMES_MAX} property names`
        break
      case COMMA:
        if (++commas >= VALUES_MAX) return `has more than ${VALUES_MAX} values`
        break
      case 91: // [
      case 123: // {
        if (++depth > DEPTH_MAX) return `is nested deeper than ${DEPTH_MAX}`
        if (++containers > CONTAINERS_MAX) return `has more than ${CONTAINERS_MAX} objects and arrays`
        break
      case 93: // ]
      case 125: // }
        depth--
    }
  }
  return undefined
}

/** The end of the string that begins here. A string without an end is left to the parser's own error. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    const isEscaped = (end - first) % 2 === 1
    if (!isEscaped) return end
  }
  return text.length
}

/** `"":0,` is the shortest property. */
const NAME_LENGTH_MIN = 5
/** Forty bits for each allowed name, so that hardly two names share a bit. */
const BITS = 2 ** 22
/** Secret: a caller who knew it could choose names that share bits. */
const SEED = randomInt(2 ** 32 - 1)

/** Counts different names, nearly exactly: each sets a bit. */
class NameCount {
  readonly #bits = new Uint8Array(BITS / 8)
  #count = 0

  /** Adds the name at this place, and returns how many there are. */
  add(text: string, start: number, end: number): number {
    let hash = SEED
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
    hash ^= hash >>> 15
    const index = (hash >>> 3) % this.#bits.length
    const bit = 1 << (hash & 7)
    const byte = this.#bits[index] ?? 0
    if ((byte & bit) === 0) {
      this.#bits[index] = byte | bit
      this.#count++
    }
    return this.#count
  }
}
