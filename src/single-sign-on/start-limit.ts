/** An office of thousands behind one address logs in within an hour, not within a minute. */
const STARTS_A_MINUTE = 100
const NETWORKS_MAX = 10_000
const MINUTE_MS = 60_000

export interface StartLimit {
  /** Whether a network may begin one more log-in: each stores a row until it is over. */
  admit(network: string): boolean
}

/** Counts the log-ins that a network begins within a minute, in this process. */
export function createStartLimit(now: () => number = () => performance.now()): StartLimit {
  const counts = new Map<string, number>()
  let sinceMs = now()
  return {
    admit(network) {
      if (now() - sinceMs >= MINUTE_MS || counts.size >= NETWORKS_MAX) {
        counts.clear()
        sinceMs = now()
      }
      const count = (counts.get(network) ?? 0) + 1
      counts.set(network, count)
      return count <= STARTS_A_MINUTE
    }
  }
}
