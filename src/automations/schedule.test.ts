import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { lastTime, nextTime, scheduleProblems } from './schedule.ts'

const NOW = new Date('2026-11-15T09:30:00Z')
const next = (schedule: string, after = NOW, timeZone = 'Europe/Paris') =>
  nextTime(schedule, timeZone, after)?.toISOString()
const problem = (schedule: string) => scheduleProblems(schedule, 'Europe/Paris', NOW)[0]?.message

test('times are those of the account’s time zone, also where clocks change', () => {
  assert.equal(next('0 10 * * *'), '2026-11-16T09:00:00.000Z')
  assert.equal(next('45 10 * * *'), '2026-11-15T09:45:00.000Z')
  assert.equal(next('0 10 * * *', new Date('2026-07-01T00:00:00Z')), '2026-07-01T08:00:00.000Z')
  assert.equal(next('0 9 1 * *', NOW, 'America/New_York'), '2026-12-01T14:00:00.000Z')
  assert.equal(next('30 9 * * MON'), '2026-11-16T08:30:00.000Z')
  // At 02:30 of this day clocks go to 03:00: it still runs once on that day.
  const change = new Date('2027-03-27T23:30:00Z')
  const time = nextTime('30 2 * * *', 'Europe/Paris', change) as Date
  assert.equal(time.toISOString().slice(0, 10), '2027-03-28')
  assert.equal(next('30 2 * * *', time)?.slice(0, 10), '2027-03-29')
})

test('a run that comes late is for the day of its time, also where clocks change, so each day has one run', () => {
  const last = (schedule: string, until: Date) => lastTime(schedule, 'Europe/Paris', until)
  for (const [schedule, from] of [
    ['30 2 * * *', '2027-03-26T12:00:00Z'],
    ['30 2 * * *', '2027-10-29T12:00:00Z'],
    ['55 23 * * *', '2028-02-26T12:00:00Z']
  ] as const) {
    let time = new Date(from)
    for (let count = 0; count < 4; count++) {
      time = nextTime(schedule, 'Europe/Paris', time) as Date
      // Ten minutes late is the next day for one of them.
      assert.equal(last(schedule, new Date(time.getTime() + 600_000))?.toISOString(), time.toISOString())
    }
  }
  assert.equal(last('30 10 * * *', NOW)?.toISOString(), NOW.toISOString())
  assert.equal(last('31 10 * * *', NOW)?.toISOString(), '2026-11-14T09:31:00.000Z')
})

test('a schedule that can’t be read, never comes or comes too often is refused with its reason', () => {
  for (const good of ['0 10 * * *', '*/5 * * * *', '0,30 8-18 * * 1-5', '0 9 29 2 *']) {
    assert.equal(problem(good), undefined, good)
  }
  for (const form of ['', 'x', '0 10 * *', '0 0 10 * * *', '@daily', '2026-12-24T10:00:00', '0  10 * * *']) {
    assert.match(problem(form) ?? '', /must have five fields/, form)
  }
  for (const bad of ['60 10 * * *', '0 25 * * *', 'a b c d e', '0 10 * * FOO', '-1 * * * *']) {
    assert.match(problem(bad) ?? '', /can’t be read/, bad)
  }
  assert.equal(problem('0 9 30 2 *'), 'never comes')
  for (const often of ['* * * * *', '*/4 * * * *', '0,3 10 * * *', '59,0 10,11 * * *']) {
    assert.match(problem(often) ?? '', /5 minutes/, often)
  }
})
