import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Pace } from './pace.ts'

/** A carrier with a token bucket, and a sender that always has something to send, on a clock of their own. */
function simulate(options: {
  allowedPerSecond: number
  burst: number
  latencyMs: number
  window: number
  seconds: number
  allowedLater?: { fromSecond: number; perSecond: number }
}): { takenBySecond: number[]; throttledBySecond: number[] } {
  const { burst, latencyMs, window, seconds, allowedLater } = options
  const pace = new Pace()
  const takenBySecond = new Array<number>(seconds).fill(0)
  const throttledBySecond = new Array<number>(seconds).fill(0)
  const onTheWay: { sentAtMs: number; atMs: number; isTaken: boolean }[] = []
  let tokens = burst
  for (let nowMs = 1; nowMs < seconds * 1000; nowMs++) {
    const second = Math.floor(nowMs / 1000)
    const isLater = allowedLater && second >= allowedLater.fromSecond
    const perSecond = isLater ? allowedLater.perSecond : options.allowedPerSecond
    tokens = Math.min(burst, tokens + perSecond / 1000)
    if (nowMs % 1000 === 0) pace.tick()
    while (onTheWay[0] && onTheWay[0].atMs <= nowMs) {
      const answer = onTheWay.shift()
      if (answer?.isTaken) pace.onAccepted()
      else pace.onThrottled(answer?.sentAtMs ?? 0, nowMs)
    }
    while (onTheWay.length < window && pace.waitMs(nowMs) === 0) {
      pace.take()
      const isTaken = tokens >= 1
      if (isTaken) tokens--
      const counts = isTaken ? takenBySecond : throttledBySecond
      counts[second] = (counts[second] ?? 0) + 1
      onTheWay.push({ sentAtMs: nowMs, atMs: nowMs + latencyMs, isTaken })
    }
  }
  return { takenBySecond, throttledBySecond }
}

function perSecond(bySecond: number[], from: number, to: number): number {
  return bySecond.slice(from, to).reduce((sum, count) => sum + count, 0) / (to - from)
}

const CARRIERS = [5, 50, 300, 2_000].flatMap((allowedPerSecond) =>
  [0.05, 1].flatMap((burstSeconds) =>
    [2, 50, 400].map((latencyMs) => ({
      allowedPerSecond,
      burst: Math.max(2, allowedPerSecond * burstSeconds),
      latencyMs,
      window: 1_000
    }))
  )
)

for (const carrier of CARRIERS) {
  const { allowedPerSecond, burst, latencyMs } = carrier
  test(`a carrier that allows ${allowedPerSecond}/s, ${burst} at once, and answers in ${latencyMs} ms gets 95 % of that, and hardly more`, () => {
    const { takenBySecond, throttledBySecond } = simulate({ ...carrier, seconds: 70 })
    const taken = perSecond(takenBySecond, 10, 70)
    assert.ok(taken >= 0.95 * allowedPerSecond, `${taken}/s`)
    const throttled = perSecond(throttledBySecond, 10, 70)
    assert.ok(throttled <= 0.05 * allowedPerSecond, `${throttled}/s throttled`)
  })
}

test('a carrier that becomes faster is noticed within half a minute', () => {
  const allowedLater = { fromSecond: 20, perSecond: 1_000 }
  const carrier = { allowedPerSecond: 100, burst: 100, latencyMs: 50, window: 1_000 }
  const { takenBySecond } = simulate({ ...carrier, seconds: 60, allowedLater })
  assert.ok(perSecond(takenBySecond, 50, 60) >= 950)
})

test('after a minute without throttling there is no limit any more', () => {
  const pace = new Pace()
  pace.onThrottled(0, 1)
  assert.ok(pace.perSecond !== null)
  assert.ok(pace.waitMs(2) > 0)
  assert.equal(pace.waitMs(60_002), 0)
  assert.equal(pace.perSecond, null)
})
