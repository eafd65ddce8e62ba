/*
 * There are too many codes to guess one. A network that tries has to wait, and does not learn which codes do not exist. Links
 * that exist still open for it.
 */

const MISSES_MAX = 60
const WINDOW_MS = 60_000
/** Some megabytes. Past it, the oldest networks are forgotten. */
const NETWORKS_MAX = 20_000

export interface MissLimit {
  /** The seconds that a network must wait; 0 if it need not. */
  waitSecondsOf(network: string): number
  /** The network asked for a link that does not exist. */
  add(network: string): void
}

/** Counts misses of each network by the minute. Each process has its own counts. */
export function createMissLimit(now: () => number = Date.now): MissLimit {
  const minutes = new Map<string, { startedAt: number; misses: number }>()

  return {
    waitSecondsOf(network) {
      const minute = minutes.get(network)
      if (!minute || minute.misses < MISSES_MAX) return 0
      return Math.max(0, Math.ceil((minute.startedAt + WINDOW_MS - now()) / 1000))
    },
    add(network) {
      const time = now()
      let minute = minutes.get(network)
      if (!minute || minute.startedAt + WINDOW_MS <= time) {
        minutes.delete(network)
        minute = { startedAt: time, misses: 0 }
        minutes.set(network, minute)
        if (minutes.size > NETWORKS_MAX) {
          const [oldest = network] = minutes.keys()
          minutes.delete(oldest)
        }
      }
      minute.misses++
    }
  }
}
