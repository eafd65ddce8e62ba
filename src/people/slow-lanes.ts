import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../errors.ts'

export interface SlowLanes {
  /** Resolves when the turn of this log-in comes; refuses, with the time to wait, when too many wait already. */
  wait(lane: string): Promise<void>
}

/** Log-ins of one lane go on one after the other, with a gap between them. Each waits for one gap at least. */
export function createSlowLanes({
  gapMs,
  waitingMax,
  waitingInAllMax
}: {
  gapMs: number
  waitingMax: number
  waitingInAllMax: number
}): SlowLanes {
  const lanes = new Map<string, { waiting: number; lastAtMs: number }>()
  let waitingInAll = 0

  return {
    async wait(name) {
      const nowMs = performance.now()
      const lane = lanes.get(name) ?? { waiting: 0, lastAtMs: nowMs }
      if (lane.waiting >= waitingMax || waitingInAll >= waitingInAllMax) {
        const retryAfterSeconds = Math.max(1, Math.ceil((lane.lastAtMs - nowMs) / 1000))
        const sentence = `Too many failed log-ins from this address; wait ${retryAfterSeconds} s.`
        throw new Refusal(429, 'rate_limited', sentence, { retryAfterSeconds })
      }
      lanes.set(name, lane)
      lane.waiting++
      waitingInAll++
      lane.lastAtMs = Math.max(lane.lastAtMs, nowMs) + gapMs
      await sleep(lane.lastAtMs - nowMs)
      lane.waiting--
      waitingInAll--
      if (lane.waiting === 0) lanes.delete(name)
    }
  }
}
