import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PostResult } from './post.ts'
import { delayAfter, isGivenUp, meaningOf } from './schedule.ts'

/** The delays of docs/webhooks.md, in seconds. */
const DOCUMENTED = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

test('the delays are those of docs/webhooks.md, and the eleventh failure is the last', () => {
  const delays = Array.from({ length: 13 }, (_, index) => delayAfter(index + 1, { random: () => 0.5 }))
  assert.deepEqual(delays, [...DOCUMENTED, undefined, undefined, undefined])
})

test('jitter moves each delay by a tenth at most, and uses all of it', () => {
  assert.equal(delayAfter(1, { random: () => 0 }), 4.5)
  assert.equal(delayAfter(10, { random: () => 0 }), 77_760)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, drawn) => {
      const expected = DOCUMENTED[attempt - 1] ?? assert.fail()
      const delay = delayAfter(attempt, { random: () => drawn }) ?? assert.fail()
      assert.ok(delay >= expected * 0.9 - 1e-6 && delay <= expected * 1.1 + 1e-6)
    })
  )
  const drawn = new Set(Array.from({ length: 20 }, () => delayAfter(1)))
  assert.ok(drawn.size > 10)
})

test('a receiver may ask for more time than the schedule gives, not for less, nor for another attempt', () => {
  const random = () => 0.5
  assert.equal(delayAfter(1, { random, retryAfterSeconds: 120 }), 120)
  assert.equal(delayAfter(4, { random, retryAfterSeconds: 120 }), 1_800)
  assert.equal(delayAfter(11, { random, retryAfterSeconds: 120 }), undefined)
})

test('an attempt is numbered from 1', () => {
  assert.equal(delayAfter(0), undefined)
})

test('five days of failure disable a webhook', () => {
  const firstFailureAt = new Date('2026-03-01T12:00:00Z')
  const cases: [now: string, isGivenUp: boolean][] = [
    ['2026-03-01T12:00:00Z', false],
    ['2026-03-06T11:59:59Z', false],
    ['2026-03-06T12:00:00Z', true],
    ['2026-04-01T00:00:00Z', true]
  ]
  for (const [now, expected] of cases) assert.equal(isGivenUp({ firstFailureAt, now: new Date(now) }), expected, now)
})

test('any 2xx is success, 410 is the end, and everything else is tried again', () => {
  const meanings: [status: number, meaning: string][] = [
    ...[200, 201, 202, 204, 299].map((status): [number, string] => [status, 'succeeded']),
    ...[101, 300, 301, 302, 307, 308, 400, 401, 404, 429, 500, 502, 503, 504].map((status): [number, string] => [
      status,
      'retry'
    ]),
    [410, 'gone']
  ]
  for (const [status, meaning] of meanings) {
    const result: PostResult = { kind: 'answered', status, body: '', ms: 1 }
    assert.equal(meaningOf(result), meaning, String(status))
  }
  assert.equal(
    meaningOf({ kind: 'failed', failure: 'timeout', error: 'The receiver example.com refused the connection.', ms: 1 }),
    'retry'
  )
})
