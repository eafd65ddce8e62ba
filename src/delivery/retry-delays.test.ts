import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { toReturn } from './retry-delays.ts'

const tried = (delaySeconds: number) => ({ position: 1, delaySeconds, isTried: true })
const untried = (delaySeconds: number) => ({ position: 2, delaySeconds, isTried: false })
const longest = () => 1
const shortest = () => 0

test('each try is put off for longer, up to five minutes', () => {
  const delays = []
  let attempts = 0
  for (let tries = 0; tries < 10; tries++) {
    const returned = toReturn([tried(10)], attempts, longest)
    attempts = returned.attempts
    delays.push(returned.delaySeconds)
  }
  assert.deepEqual(delays, [20, 40, 80, 160, 300, 300, 300, 300, 300, 300])
  assert.equal(attempts, 10)
})

test('what failed together does not come back together, and never sooner than the carrier asks', () => {
  assert.equal(toReturn([tried(10)], 5, shortest).delaySeconds, 10)
  assert.equal(toReturn([tried(10)], 5, () => 0.5).delaySeconds, 155)
  assert.equal(toReturn([tried(3_600)], 5, longest).delaySeconds, 3_600)
})

test('to wait for a turn is no try', () => {
  assert.deepEqual(toReturn([untried(2), untried(1)], 3, longest), { attempts: 3, delaySeconds: 1 })
  assert.deepEqual(toReturn([tried(10), untried(2)], 3, longest), { attempts: 4, delaySeconds: 2 })
})
