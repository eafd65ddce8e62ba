/* Submits a second of each credential, by a bucket that holds a second's worth. Each process counts for itself. */

/** A bucket that nobody took from for so long is full, and forgotten. */
const IDLE_MS = 10_000

export function createThroughputs(nowMs: () => number = () => performance.now()) {
  const buckets = new Map<number, { left: number; filledAtMs: number }>()
  let sweptAtMs = nowMs()
  return {
    /** Whether one more is allowed. */
    take(id: number, max: number): boolean {
      const now = nowMs()
      if (now - sweptAtMs > IDLE_MS) {
        sweptAtMs = now
        for (const [other, { filledAtMs }] of buckets) if (now - filledAtMs > IDLE_MS) buckets.delete(other)
      }
      const bucket = buckets.get(id) ?? { left: max, filledAtMs: now }
      bucket.left = Math.min(max, bucket.left + ((now - bucket.filledAtMs) * max) / 1_000)
      bucket.filledAtMs = now
      buckets.set(id, bucket)
      if (bucket.left < 1) return false
      bucket.left--
      return true
    }
  }
}
