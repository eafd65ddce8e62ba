import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { daysOfRange, type IdRange, isDroppedWhole, nextRange, type RangeState } from './id-ranges.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-17T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)

function range(firstId: number, endId: number, times: { opened?: number; closed?: number } = {}): IdRange {
  return {
    kind: 'messages',
    firstId,
    endId,
    isMade: true,
    isFirst: false,
    openedAt: times.opened === undefined ? null : daysAgo(times.opened),
    closedAt: times.closed === undefined ? null : daysAgo(times.closed),
    settledAt: null,
    leftCount: null,
    isReleased: false,
    isQueued: false
  }
}

const state = (lastId: number, ranges: IdRange[]): RangeState => ({ now: NOW, lastId, ranges })
const calm = { retentionDays: 400, idsPerMinute: 0 }

test('a whole range is ahead of the last id, and ten minutes of the latest pace', () => {
  const first = range(0, 20_000, { opened: 1 })
  const ahead = range(20_000, 40_000)
  assert.equal(nextRange(state(19_999, [first, ahead]), calm), undefined)
  assert.deepEqual(nextRange(state(20_000, [first, ahead]), calm), { firstId: 40_000, endId: 200_000 })
  assert.deepEqual(nextRange(state(100, [first, ahead]), { ...calm, idsPerMinute: 120_000 }), {
    firstId: 40_000,
    endId: 1_240_000
  })
})

test('a range has the ids of a fiftieth of the retention at the pace of the last days, and a burst is no pace', () => {
  assert.equal(daysOfRange(400), 8)
  assert.equal(daysOfRange(1), 0.25)
  const slow = [range(0, 1_000_000, { opened: 100, closed: 10 }), range(1_000_000, 2_000_000, { opened: 10 })]
  assert.deepEqual(nextRange(state(1_100_000, slow), calm), { firstId: 2_000_000, endId: 2_080_000 })
  const burst = [range(0, 20_000, { opened: 0.001 })]
  assert.deepEqual(nextRange(state(10_000, burst), calm), { firstId: 20_000, endId: 100_000 })
})

test('ids that were skipped after a restore are no pace', () => {
  const ranges = [
    range(0, 20_000, { opened: 10, closed: 1 }),
    range(1_020_000, 1_040_000, { opened: 0.5, closed: 0 }),
    range(1_040_000, 1_060_000, { opened: 0 })
  ]
  assert.deepEqual(nextRange(state(1_040_000, ranges), calm), { firstId: 1_060_000, endId: 1_092_000 })
})

test('a range that was missed begins ahead of the ids that are drawn meanwhile', () => {
  const missed = [range(0, 20_000, { opened: 2, closed: 1 })]
  const next = nextRange(state(50_000, missed), { ...calm, idsPerMinute: 30_000 })
  assert.equal(next?.firstId, 80_000)
})

test('rows wait for the drop of a range that is short, closed and not released', () => {
  assert.equal(isDroppedWhole(range(0, 1, { opened: 420, closed: 410 }), 400), true)
  assert.equal(isDroppedWhole(range(0, 1, { opened: 440, closed: 410 }), 400), false)
  assert.equal(isDroppedWhole(range(0, 1, { opened: 4 }), 400), false)
  assert.equal(isDroppedWhole({ ...range(0, 1, { opened: 420, closed: 410 }), isReleased: true }, 400), false)
})
