import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Pace } from './pace.ts'

/** Whether a carrier takes a submit at this moment. */
type Takes = (nowMs: number) => boolean

/** A limit that fills evenly, up to `burst`. */
function tokenBucket({ perSecond, burst }: { perSecond: (second: number) => number; burst: number }): Takes {
  let tokens = burst
  let filledAtMs = 0
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * perSecond(nowMs / 1000)) / 1000)
    filledAtMs = nowMs
    if (tokens < 1) return false
    tokens--
    return true
  }
}

/** A limit that is counted anew when each second begins. */
function fixedWindow(perSecond: number): Takes {
  let second = -1
  let count = 0
  return (nowMs) => {
    if (Math.floor(nowMs / 1000) !== second) count = 0
    second = Math.floor(nowMs / 1000)
    return ++count <= perSecond
  }
}

/** The same numbers in every run. */
function throttledAtRandom(share: number): Takes {
  let seed = 1
  return () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647 >= share
  }
}

/** A carrier, and a sender that always has something to send, unless `arrives` says when, on a clock of their own. */
function simulate({
  takes,
  latencyMs,
  window,
  seconds,
  arrives = () => Number.POSITIVE_INFINITY
}: {
  takes: Takes
  latencyMs: number
  window: number
  seconds: number
  arrives?: (nowMs: number) => number
}) {
  const pace = new Pace()
  const taken = new Array<number>(seconds).fill(0)
  const throttled = new Array<number>(seconds).fill(0)
  const onTheWay: { sentAtMs: number; isTaken: boolean }[] = []
  let answered = 0
  let waiting = 0
  for (let nowMs = 1; nowMs < seconds * 1000; nowMs++) {
    const second = Math.floor(nowMs / 1000)
    if (nowMs % 1000 === 0) pace.tick(nowMs)
    for (let next = onTheWay[answered]; next && next.sentAtMs + latencyMs <= nowMs; next = onTheWay[answered]) {
      answered++
      if (next.isTaken) pace.onAccepted(next.sentAtMs, nowMs)
      else pace.onThrottled(next.sentAtMs, nowMs)
    }
    waiting += arrives(nowMs)
    while (waiting >= 1 && onTheWay.length - answered < window && pace.waitMs(nowMs) === 0) {
      pace.take()
      waiting--
      const isTaken = takes(nowMs)
      const counts = isTaken ? taken : throttled
      counts[second] = (counts[second] ?? 0) + 1
      onTheWay.push({ sentAtMs: nowMs, isTaken })
    }
  }
  return { taken, throttled }
}

function perSecond(bySecond: number[], from: number, to: number): number {
  return bySecond.slice(from, to).reduce((sum, count) => sum + count, 0) / (to - from)
}

/** From the tenth second on. */
function assertFollows({ taken, throttled }: ReturnType<typeof simulate>, allowedPerSecond: number): void {
  const [takenPerSecond, throttledPerSecond] = [perSecond(taken, 10, 60), perSecond(throttled, 10, 60)]
  assert.ok(takenPerSecond >= 0.95 * allowedPerSecond, `${takenPerSecond}/s`)
  assert.ok(throttledPerSecond <= 0.08 * allowedPerSecond, `${throttledPerSecond}/s throttled`)
}

for (const allowed of [5, 50, 200, 2_000]) {
  for (const latencyMs of [2, 50, 400]) {
    const answers = `answers in ${latencyMs} ms gets 95 % of that, and little more`
    for (const burst of [Math.max(2, allowed * 0.05), allowed]) {
      test(`a carrier that allows ${allowed}/s, ${burst} at once, and ${answers}`, () => {
        const takes = tokenBucket({ perSecond: () => allowed, burst })
        assertFollows(simulate({ takes, latencyMs, window: 1_000, seconds: 60 }), allowed)
      })
    }
    test(`a carrier that allows ${allowed} in each second of the clock and ${answers}`, () => {
      assertFollows(simulate({ takes: fixedWindow(allowed), latencyMs, window: 1_000, seconds: 60 }), allowed)
    })
  }
}

test('a pace that is not used does not grow: what then comes at once is not thrown at the carrier', () => {
  // A crowd at first, and then every three seconds what the carrier takes in one and a half.
  const arrives = (nowMs: number) => (nowMs === 1 ? 2_000 : nowMs % 3_000 === 0 ? 300 : 0)
  const takes = fixedWindow(200)
  const { taken, throttled } = simulate({ takes, latencyMs: 2, window: 200, seconds: 50, arrives })
  assert.ok(perSecond(taken, 15, 50) > 80, `${perSecond(taken, 15, 50)}/s`)
  assert.ok(perSecond(throttled, 15, 50) < 10, `${perSecond(throttled, 15, 50)}/s throttled`)
})

for (const { window, latencyMs } of [
  { window: 10, latencyMs: 50 },
  { window: 100, latencyMs: 20 },
  { window: 200, latencyMs: 400 }
]) {
  test(`a carrier that throttles 2 % at random keeps its window of ${window} full, with answers in ${latencyMs} ms`, () => {
    const { taken } = simulate({ takes: throttledAtRandom(0.02), latencyMs, window, seconds: 60 })
    const atMost = 0.98 * (window / latencyMs) * 1000
    assert.ok(perSecond(taken, 0, 60) >= 0.9 * atMost, `${perSecond(taken, 0, 60)}/s of ${atMost}`)
  })
}

for (const share of [0.1, 0.2, 0.4]) {
  test(`a carrier that throttles ${share * 100} % at any pace is not brought to a crawl`, () => {
    const { taken } = simulate({ takes: throttledAtRandom(share), latencyMs: 20, window: 100, seconds: 120 })
    assert.ok(perSecond(taken, 60, 120) >= 100, `${perSecond(taken, 60, 120)}/s`)
  })
}

const CHANGES = [
  { from: 200, to: 600, lateSeconds: 6 },
  { from: 600, to: 200, lateSeconds: 0 },
  { from: 100, to: 1_000, lateSeconds: 8 },
  { from: 1_000, to: 100, lateSeconds: 0 },
  { from: 0, to: 300, lateSeconds: 15 }
]
for (const { from, to, lateSeconds } of CHANGES) {
  test(`a limit that goes from ${from} to ${to} a second is followed within ${lateSeconds} s`, () => {
    const takes = tokenBucket({ perSecond: (second) => (second < 20 ? from : to), burst: 20 })
    const { taken, throttled } = simulate({ takes, latencyMs: 50, window: 1_000, seconds: 60 })
    const since = 20 + lateSeconds
    assert.ok(perSecond(taken, since, since + 10) >= 0.9 * to, `${perSecond(taken, since, since + 10)}/s`)
    assert.ok(perSecond(throttled, 30, 60) <= 0.1 * to, `${perSecond(throttled, 30, 60)}/s throttled`)
  })
}

test('with a pace, what leaves is gathered: nobody is woken for each submit', () => {
  const pace = new Pace()
  for (let count = 0; count < 200; count++) pace.onAccepted(0, 1)
  for (let count = 0; count < 200; count++) pace.onThrottled(0, 1)
  let wakeUps = 0
  let left = 0
  for (let nowMs = 1; nowMs < 10_000; wakeUps++) {
    const waitMs = pace.waitMs(nowMs)
    if (waitMs > 0) nowMs += Math.ceil(waitMs)
    for (; pace.waitMs(nowMs) === 0; left++) pace.take()
  }
  assert.ok(left >= 1_900 && left <= 2_100, `${left} left in 10 s`)
  assert.ok(wakeUps <= 520, `${wakeUps} wake-ups`)
})

test('a few that are throttled do not begin a pace', () => {
  const pace = new Pace()
  for (let count = 0; count < 4; count++) pace.onThrottled(0, 1)
  assert.equal(pace.perSecond, null)
})

test('after a minute without throttling there is no limit any more', () => {
  const pace = new Pace()
  for (let count = 0; count < 5; count++) pace.onThrottled(0, 1)
  assert.ok(pace.perSecond !== null)
  assert.ok(pace.waitMs(2) > 0)
  pace.tick(60_002)
  assert.equal(pace.waitMs(60_002), 0)
  assert.equal(pace.perSecond, null)
})
