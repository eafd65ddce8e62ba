import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually } from '../../test/checks/eventually.ts'
import { groupCalls } from './group-calls.ts'

interface Recorded {
  keys: number[]
  finish: () => void
}

function recorder() {
  const groups: Recorded[] = []
  const run = (keys: number[]) => {
    const { promise, resolve } = Promise.withResolvers<number[]>()
    groups.push({ keys, finish: () => resolve(keys.map((key) => key * 10)) })
    return promise
  }
  return { groups, run }
}

test('a lone call leaves at once', async () => {
  const { groups, run } = recorder()
  const call = groupCalls(run, { sizeMax: 10, runningMax: 1, spacingMs: 0 })
  const answer = call(1)
  await turn()
  assert.deepEqual(groups[0]?.keys, [1])
  groups[0]?.finish()
  assert.equal(await answer, 10)
})

test('calls that come while a statement runs share the next one, up to its size', async () => {
  const { groups, run } = recorder()
  const call = groupCalls(run, { sizeMax: 2, runningMax: 1, spacingMs: 0 })
  const first = call(1)
  await turn()
  const others = [call(2), call(3), call(4)]
  await turn()
  assert.equal(groups.length, 1, 'none joins a statement that has already left')
  groups[0]?.finish()
  await first
  await eventually(() => assert.deepEqual(groups[1]?.keys, [2, 3]))
  groups[1]?.finish()
  await Promise.all(others.slice(0, 2))
  await eventually(() => assert.deepEqual(groups[2]?.keys, [4]))
  groups[2]?.finish()
  assert.deepEqual(await Promise.all(others), [20, 30, 40])
})

/** Lets so many calls wait at once, and answers them. */
async function crowd({
  groups,
  call,
  size
}: {
  groups: Recorded[]
  call: (key: number) => Promise<number>
  size: number
}) {
  const calls = Array.from({ length: size }, (_, index) => call(100 + index))
  await turn()
  groups.at(-1)?.finish()
  await Promise.all(calls)
}

test('as many calls as are enough leave at once, and fewer wait for more', async () => {
  const { groups, run } = recorder()
  const call = groupCalls(run, { sizeMax: 10, runningMax: 1, spacingMs: 600_000, enough: () => 3 })
  await crowd({ groups, call, size: 5 })
  const calls = [call(1), call(2)]
  for (let turns = 0; turns < 5; turns++) await turn()
  assert.equal(groups.length, 1)
  calls.push(call(3))
  await turn()
  assert.deepEqual(groups[1]?.keys, [1, 2, 3])
  groups[1]?.finish()
  assert.deepEqual(await Promise.all(calls), [10, 20, 30])
})

test('calls do not wait for more when as many wait as ever came at once', async () => {
  const { groups, run } = recorder()
  const call = groupCalls(run, { sizeMax: 10, runningMax: 2, spacingMs: 600_000 })
  await crowd({ groups, call, size: 3 })
  const calls = [call(1), call(2)]
  for (let turns = 0; turns < 5; turns++) await turn()
  assert.equal(groups.length, 1, 'a third may come')
  calls.push(call(3))
  await turn()
  assert.deepEqual(groups[1]?.keys, [1, 2, 3])
  groups[1]?.finish()
  await Promise.all(calls)
})

test('a loop that calls again when it is answered never waits, also beside another caller that calls more at once', async () => {
  const { groups, run } = recorder()
  const limits = { sizeMax: 10, runningMax: 2, spacingMs: 600_000 }
  const call = groupCalls(run, limits, (key) => (key < 100 ? 'loop' : 'crowd'))
  await crowd({ groups, call, size: 5 })
  const first = call(1)
  // The most that one has called is not known before its first call.
  const others = Array.from({ length: 5 }, (_, index) => call(200 + index))
  await turn()
  groups[1]?.finish()
  await Promise.all([first, ...others])
  for (let time = 2; time < 5; time++) {
    const before = groups.length
    const answer = call(time)
    await turn()
    assert.deepEqual(groups[before]?.keys, [time])
    groups[before]?.finish()
    assert.equal(await answer, time * 10)
    await turn() // As calls from a socket do.
  }
})

test('a failed statement fails its own calls and no others', async () => {
  let calls = 0
  const call = groupCalls(
    async (keys: number[]) => {
      calls++
      if (calls === 1) throw new Error('lost')
      return keys
    },
    { sizeMax: 10, runningMax: 1, spacingMs: 0 }
  )
  const [a, b] = [call(1), call(2)]
  await assert.rejects(a, /lost/)
  await assert.rejects(b, /lost/)
  assert.equal(await call(3), 3)
})

test('in a crowd, statements leave one after the other with a pause between, so that more calls share each', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { groups, run } = recorder()
  const call = groupCalls(run, { sizeMax: 3, runningMax: 5, spacingMs: 60_000 })
  void call(1)
  await turn()
  void call(2)
  await turn()
  void call(3)
  await turn()
  assert.deepEqual(
    groups.map(({ keys }) => keys),
    [[1]],
    'the first left at once, the next ones wait for the pause'
  )
  t.mock.timers.tick(60_000)
  assert.deepEqual(
    groups.map(({ keys }) => keys),
    [[1], [2, 3]]
  )
})
