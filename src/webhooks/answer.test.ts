import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { readRetryAfter } from './answer.ts'

test('retry-after is read as seconds or as a date, up to a day; anything else is ignored', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const cases: [value: string | undefined, seconds: number | undefined][] = [
    [undefined, undefined],
    ['0', 0],
    ['120', 120],
    ['86400', 86_400],
    ['86401', 86_400],
    ['99999999999999999999999', 86_400],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90],
    ['Sunday, 01-Mar-26 12:01:30 GMT', 90],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Sun, 01 Mar 2036 12:00:00 GMT', 86_400],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['5 minutes', undefined],
    ['soon', undefined],
    ['Sun, 99 Mar 2026 12:00:00 GMT', undefined],
    ['2026-03-01T12:01:30Z', undefined]
  ]
  for (const [value, seconds] of cases) assert.equal(readRetryAfter(value, now), seconds, String(value))
})
