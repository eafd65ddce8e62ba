import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { whileExtending } from './while-extending.ts'

test('a lease is extended for as long as the work takes, one time after the other, and not once more', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const work = Promise.withResolvers<string>()
  const extension = Promise.withResolvers<void>()
  let [begun, ended] = [0, 0]
  let isDone = false
  const done = whileExtending(
    async () => {
      begun++
      if (begun === 2) throw new Error('the database is away')
      if (begun === 3) await extension.promise
      ended++
    },
    () => work.promise
  ).finally(() => {
    isDone = true
  })
  for (let second = 0; second < 10; second++) {
    t.mock.timers.tick(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual([begun, ended], [3, 1])
  work.resolve('done')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isDone, false, 'it could still be extended')
  extension.resolve()
  assert.equal(await done, 'done')
  t.mock.timers.tick(10_000)
  assert.deepEqual([begun, ended], [3, 2])
})

test('what fails is told, and its lease is let go of', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let extended = 0
  const failing = whileExtending(
    async () => extended++,
    () => Promise.reject(new Error('too slow'))
  )
  await assert.rejects(failing, /too slow/)
  t.mock.timers.tick(10_000)
  assert.equal(extended, 0)
})
