import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Unanswered } from './unanswered.ts'

/** So many calls that come, and are run and answered together. */
function serve(unanswered: Unanswered, count: number): void {
  for (let call = 0; call < count; call++) unanswered.add()
  unanswered.run(count)
  unanswered.answer(count)
}

/** How many calls wait when no more are expected. */
function countUntilAll(unanswered: Unanswered): number {
  let count = 0
  while (!unanswered.areAllWaiting) {
    unanswered.add()
    count++
  }
  unanswered.run(count)
  unanswered.answer(count)
  return count
}

test('as many as had no answer at once lately are all; those that run are still to come back', () => {
  const unanswered = new Unanswered()
  assert.equal(unanswered.areAllWaiting, false, 'none waits')
  serve(unanswered, 3)
  assert.equal(countUntilAll(unanswered), 3)
  unanswered.add()
  unanswered.run(1)
  unanswered.add()
  unanswered.add()
  assert.equal(unanswered.areAllWaiting, false, 'one runs')
  unanswered.answer(1)
  assert.equal(unanswered.areAllWaiting, false, 'it may come back')
  unanswered.add()
  assert.equal(unanswered.areAllWaiting, true)
})

test('a limit is forgotten after two seconds without it', () => {
  const unanswered = new Unanswered()
  unanswered.letPass(10_000)
  serve(unanswered, 5)
  unanswered.letPass(11_000)
  assert.equal(countUntilAll(unanswered), 5, 'it was in the second before')
  unanswered.letPass(12_000)
  serve(unanswered, 2)
  unanswered.letPass(13_000)
  serve(unanswered, 1)
  unanswered.letPass(14_000)
  assert.equal(countUntilAll(unanswered), 1)
  serve(unanswered, 5)
  unanswered.letPass(60_000)
  assert.equal(countUntilAll(unanswered), 1)
})
