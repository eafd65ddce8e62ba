import { NameOrders, ORDERS_MAX } from './name-orders.ts'

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

/** JavaScript keeps larger objects as tables: each of their properties takes ten times as long, a microsecond. */
const QUICK_PROPERTIES = 128
const SLOW_PROPERTIES_MAX = 500_000

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
  const properties = text.length > ORDERS_MAX * PROPERTY_LENGTH_MIN ? new Properties() : undefined
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        stringStart = at
        stringEnd = endOfString(text, at)
        at = stringEnd
        break
      case COLON:
        properties?.add(depth, text, stringStart, stringEnd)
        if (properties?.excess !== undefined) return properties.excess
        break
      case COMMA:
        if (++commas >= VALUES_MAX) return `has more than ${VALUES_MAX} values`
        break
      case 91: // [
      case 123: // {
        if (++depth > DEPTH_MAX) return `is nested deeper than ${DEPTH_MAX}`
        if (++containers > CONTAINERS_MAX) return `has more than ${CONTAINERS_MAX} objects and arrays`
        properties?.open(depth)
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
const PROPERTY_LENGTH_MIN = 5

/** Counts what makes objects slow to parse. Arrays, whose places in the text count as objects, have no properties. */
class Properties {
  readonly #orders = new NameOrders()
  /** By depth, of the object that is open there: its names, and how many there are. */
  readonly #names = new Int32Array(DEPTH_MAX + 1)
  readonly #counts = new Int32Array(DEPTH_MAX + 1)
  #slow = 0
  excess: string | undefined

  open(depth: number): void {
    this.#names[depth] = NameOrders.beginning
    this.#counts[depth] = 0
  }

  /** Adds a property, with its name at this place. Outside of an object, it is left to the parser's own error. */
  add(depth: number, text: string, start: number, end: number): void {
    const before = this.#names[depth]
    const count = (this.#counts[depth] ?? 0) + 1
    if (before === undefined) return
    this.#counts[depth] = count
    this.#names[depth] = this.#orders.add(before, text, start, end)
    if (count === QUICK_PROPERTIES + 1) this.#slow += count
    else if (count > QUICK_PROPERTIES) this.#slow++
    if (this.#orders.count > ORDERS_MAX)
      this.excess = `has more than ${ORDERS_MAX} property names, or orders in which they come`
    if (this.#slow > SLOW_PROPERTIES_MAX)
      this.excess = `has more than ${SLOW_PROPERTIES_MAX} properties in objects of more than ${QUICK_PROPERTIES}`
  }
}
