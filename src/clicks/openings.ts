/*
 * Counts the different links that each network opens within seconds. A person opens one. Thousands of phones may share an
 * address, so a few links tell little; hundreds are a program that goes through a list.
 */

/** Openings within this time count together. */
export const OPENINGS_WINDOW_MS = 10_000
/** From this number on it is a sign of a robot, which needs a second one. */
const BURST_LINKS = 10
/** From this number on it is certainly a robot: ten links a second. */
const FLOOD_LINKS = 100
/** Some megabytes in all. Two networks on one place overwrite each other, which lets a few more robots through. */
const PLACES = 2 ** 17
const BURSTS_MAX = 10_000

export interface Openings {
  add(network: string, code: string): void
  /** Whether an opening of a network was one of many, before it or after. */
  isBurst(network: string, at: number): boolean
  isFlood(network: string, at: number): boolean
}

interface Burst {
  startedAt: number
  lastAt: number
  links: number
}

export function createOpenings(now: () => number = Date.now): Openings {
  // Numbers in arrays, and no object for each network: objects would survive the first garbage collections and burden the later
  // ones, which took a tenth of a redirect.
  const networks = new Int32Array(PLACES)
  const startedAt = new Float64Array(PLACES)
  const lastCodes = new Int32Array(PLACES)
  const links = new Uint16Array(PLACES)
  const bursts = new Map<string, Burst>()

  function add(network: string, code: string): void {
    const time = now()
    const [name, codeName] = [hashOf(network), hashOf(code)]
    const place = name & (PLACES - 1)
    const isSame = networks[place] === name && time - (startedAt[place] as number) <= OPENINGS_WINDOW_MS
    if (!isSame) {
      networks[place] = name
      startedAt[place] = time
      links[place] = 1
    } else if (lastCodes[place] !== codeName && (links[place] as number) < FLOOD_LINKS) {
      links[place] = (links[place] as number) + 1
    }
    lastCodes[place] = codeName
    const count = links[place] as number
    if (count >= BURST_LINKS) remember(network, { startedAt: startedAt[place] as number, lastAt: time, links: count })
  }

  function remember(network: string, burst: Burst): void {
    bursts.delete(network)
    bursts.set(network, burst)
    if (bursts.size <= BURSTS_MAX) return
    const [oldest = network] = bursts.keys()
    bursts.delete(oldest)
  }

  function linksAround(network: string, at: number): number {
    const burst = bursts.size === 0 ? undefined : bursts.get(network)
    if (!burst) return 0
    const isNear = at >= burst.startedAt - OPENINGS_WINDOW_MS && at <= burst.lastAt + OPENINGS_WINDOW_MS
    return isNear ? burst.links : 0
  }

  return {
    add,
    isBurst: (network, at) => linksAround(network, at) >= BURST_LINKS,
    isFlood: (network, at) => linksAround(network, at) >= FLOOD_LINKS
  }
}

/** FNV-1a, as a whole number of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
