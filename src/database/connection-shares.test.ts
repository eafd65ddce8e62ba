import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createFairTurns } from './connection-shares.ts'

const takeAll = (turns: ReturnType<typeof createFairTurns>, whose: number) => {
  let taken = 0
  while (turns.takeNow(whose)) taken++
  return taken
}

test('who asks for all gets half, the next a third of the rest, and a newcomer always one', () => {
  const turns = createFairTurns(16)
  assert.equal(takeAll(turns, 1), 8)
  assert.equal(takeAll(turns, 2), 4)
  assert.equal(takeAll(turns, 3), 2)
  assert.equal(takeAll(turns, 4), 1)
  assert.equal(takeAll(turns, 5), 1)
  assert.equal(takeAll(turns, 6), 0)
})

test('a free turn goes to the one that holds least, and of one asker in the order they came', async () => {
  const turns = createFairTurns(2)
  await turns.take(1)
  const order: string[] = []
  const wait = async (whose: number, name: string) => {
    await turns.take(whose)
    order.push(name)
  }
  const first = wait(1, 'first of 1')
  const second = wait(1, 'second of 1')
  await wait(2, 'newcomer')
  const third = wait(2, 'second of 2')
  turns.giveBack(1)
  turns.giveBack(2)
  await Promise.all([first, third])
  assert.deepEqual(order, ['newcomer', 'first of 1', 'second of 2'])
  turns.giveBack(1)
  await second
})

test('who waits too long is refused, and takes no turn later', async () => {
  const turns = createFairTurns(2, 5)
  await turns.take(1)
  await assert.rejects(turns.take(1), { status: 503, retryAfterSeconds: 2 })
  turns.giveBack(1)
  assert.equal(takeAll(turns, 1), 1)
})
