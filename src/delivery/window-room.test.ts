import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { WindowRoom } from './window-room.ts'

test('a tenth of the window stays for transactional messages, and of a large one for small sends', () => {
  const room = new WindowRoom({ capacity: 1_000, pacePerSecond: null })
  assert.deepEqual([room.free, room.forTransactional, room.forSmall], [1_000, 100, 100])
  const small = new WindowRoom({ capacity: 50, pacePerSecond: null })
  assert.deepEqual([small.forTransactional, small.forSmall], [5, 0])
})

test('outcomes and recipients gather for an eighth of the window, or for the pace where that is the limit', () => {
  const fast = new WindowRoom({ capacity: 1_000, pacePerSecond: null })
  assert.deepEqual([fast.toGather, fast.settleSpacingMs(24)], [125, 24])
  const paced = new WindowRoom({ capacity: 1_000, pacePerSecond: 100 })
  assert.deepEqual([paced.toGather, paced.settleSpacingMs(24)], [40, 250])
  // A window of half a second or less: the window is the limit.
  const narrow = new WindowRoom({ capacity: 49, pacePerSecond: 100 })
  assert.deepEqual([narrow.toGather, narrow.settleSpacingMs(24)], [6.125, 24])
})

test('the window may become smaller than what is in it, and is unused when the last place is given back', async () => {
  const carrier = { capacity: 10, pacePerSecond: null }
  const room = new WindowRoom(carrier)
  await room.untilUnused()
  room.take(10)
  carrier.capacity = 4
  assert.equal(room.free, -6)
  let isUnused = false
  const unused = room.untilUnused().then(() => {
    isUnused = true
  })
  room.giveBack(9)
  await new Promise(setImmediate)
  assert.equal(isUnused, false)
  room.giveBack(1)
  await unused
  assert.equal(room.free, 4)
})
