import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { eventually } from '../../test/checks/eventually.ts'
import { Turns } from './turns.ts'

function newTurns({ waitMs = 20_000 } = {}) {
  const changes: boolean[] = []
  const turns: Turns = new Turns({ waitMs, onChange: () => void changes.push(turns.isPaused) })
  return { turns, changes }
}

/** Often enough for a pace to begin. */
function throttle(turns: Turns): void {
  for (let answers = 0; answers < 5; answers++) turns.onThrottled(performance.now())
}

test('until the platform throttles, everyone leaves at once', () => {
  const { turns } = newTurns()
  for (let message = 0; message < 10_000; message++) assert.deepEqual(turns.take(), { kind: 'now' })
  assert.equal(turns.perSecond, null)
})

test('once it does, so many a second leave as it takes', async (t) => {
  const { turns } = newTurns()
  t.after(() => turns.stop(''))
  throttle(turns)
  const startedAt = performance.now()
  for (let message = 0; message < 10; message++) assert.deepEqual(await turns.take(), { kind: 'now' })
  assert.ok((turns.perSecond ?? 0) >= 20)
  assert.ok(performance.now() - startedAt > 150)
})

test('while the platform wants us to wait, nobody does so here, and both ends are told', async () => {
  const { turns, changes } = newTurns()
  throttle(turns)
  const waiting = turns.take()
  turns.pause(0.05)
  turns.pause(0.01)
  const later = { kind: 'later', reason: 'The platform asked us to wait.', delaySeconds: 1 }
  assert.deepEqual(await waiting, later)
  assert.deepEqual(await turns.take(), later)
  assert.equal(turns.isPaused, true)
  await eventually(() => assert.deepEqual(changes, [true, false]))
  assert.deepEqual(await turns.take(), { kind: 'now' })
})

test('who waits too long goes back, and so does everybody when it stops', async () => {
  const { turns } = newTurns({ waitMs: 0 })
  throttle(turns)
  const waiting = Array.from({ length: 3 }, () => turns.take())
  turns.tick()
  for (const turn of await Promise.all(waiting)) assert.equal(turn.kind, 'later')
  const { turns: others } = newTurns()
  throttle(others)
  const last = others.take()
  others.stop('It stops.')
  const stopped = { kind: 'later', reason: 'It stops.', delaySeconds: 1 }
  assert.deepEqual(await last, stopped)
  assert.deepEqual(await others.take(), stopped)
})

test('more than can be kept are not kept', async () => {
  const { turns } = newTurns()
  throttle(turns)
  const turnsOfAll = Array.from({ length: 2_500 }, () => turns.take())
  assert.equal((await turnsOfAll.at(-1))?.kind, 'later')
  turns.stop('')
})
