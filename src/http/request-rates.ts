import { Refusal } from '../errors.ts'
import type { Caller } from './caller.ts'

/*
 * Requests a second of accounts that have such a limit, by a bucket for each: it holds a second's worth and fills up
 * steadily. Each process counts for itself; a count that all share would cost every request a round trip.
 */

/** A bucket that nobody took from for so long is full, and forgotten. */
const IDLE_MS = 10_000

export interface RequestRates {
  /** Takes a place for a request, in all of its accounts or in none. Undefined for an account without such a limit. */
  take(caller: Caller): RateState | undefined
  /** The limits that were used to 80 or 100 percent since the last call. */
  reached(): ReachedRate[]
}

export interface ReachedRate {
  accountId: number
  max: number
  level: 80 | 100
}

/** The rate of a caller after one more request. */
export interface RateState {
  /** The header fields that tell of the narrowest limit, as the IETF drafts them. */
  headers: Record<string, string>
  refusal: Refusal | undefined
}

interface Bucket {
  left: number
  filledAtMs: number
}

export function createRequestRates(nowMs: () => number = () => performance.now()): RequestRates {
  const buckets = new Map<number, Bucket>()
  const reached = new Map<string, ReachedRate>()
  let sweptAtMs = nowMs()

  function fill(accountId: number, max: number): Bucket {
    const now = nowMs()
    const bucket = buckets.get(accountId) ?? { left: max, filledAtMs: now }
    bucket.left = Math.min(max, bucket.left + ((now - bucket.filledAtMs) * max) / 1000)
    bucket.filledAtMs = now
    buckets.set(accountId, bucket)
    return bucket
  }

  function sweep(): void {
    const now = nowMs()
    if (now - sweptAtMs < IDLE_MS) return
    sweptAtMs = now
    for (const [id, { filledAtMs }] of buckets) if (now - filledAtMs > IDLE_MS) buckets.delete(id)
  }

  return {
    take({ limits }) {
      let narrowest: { max: number; bucket: Bucket; accountId: number } | undefined
      const taken: Bucket[] = []
      for (const { accountId, requestsPerSecond: max } of limits) {
        if (max === null) continue
        const bucket = fill(accountId, max)
        taken.push(bucket)
        if (!narrowest || bucket.left < narrowest.bucket.left) narrowest = { max, bucket, accountId }
      }
      if (!narrowest) return undefined
      sweep()
      const { max, bucket, accountId } = narrowest
      const isRefused = bucket.left < 1
      if (!isRefused) for (const each of taken) each.left--
      if (bucket.left < max / 5) reached.set(`${accountId} 80`, { accountId, max, level: 80 })
      if (isRefused) reached.set(`${accountId} 100`, { accountId, max, level: 100 })
      return {
        headers: {
          'ratelimit-policy': `"requests";q=${max};w=1`,
          ratelimit: `"requests";r=${Math.floor(Math.max(0, bucket.left))};t=1`
        },
        refusal: isRefused ? tooManyRequests(max) : undefined
      }
    },
    reached() {
      const rates = [...reached.values()]
      reached.clear()
      return rates
    }
  }
}

function tooManyRequests(max: number): Refusal {
  const sentence = `This account may ask ${max} ${max === 1 ? 'time' : 'times'} a second; ask again in 1 s.`
  return new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds: 1 })
}
