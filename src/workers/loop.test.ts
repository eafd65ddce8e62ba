import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import pino from 'pino'
import { eventually } from '../../test/checks/eventually.ts'
import { atEnd } from '../../test/service/cleanup.ts'
import { doEachStep } from './each-step.ts'
import { startWorker, stuckWorkers } from './loop.ts'

test('work that does not come back is told once and never begun twice; when it comes back, all goes on', async (t) => {
  const lines: { level: number; worker: string; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { promise: hanging, resolve: comeBack } = Promise.withResolvers<void>()
  let begun = 0
  const work = async () => {
    if (++begun === 3) await hanging
    return { isMoreDue: false }
  }
  const worker = startWorker({ name: 'hanging', work, pauseMs: 1, log, stuckMs: 50 })
  atEnd(t, () => worker.stop())
  atEnd(t, () => comeBack())
  await eventually(() => assert.ok(stuckWorkers.has('hanging')))
  worker.wake()
  assert.deepEqual(
    lines.map(({ level, worker, msg }) => [level, worker, msg]),
    [[50, 'hanging', 'worker has not come back; it is still waited for']]
  )
  assert.equal(begun, 3)
  comeBack()
  await eventually(() => assert.ok(begun > 5))
  assert.equal(stuckWorkers.has('hanging'), false)
  assert.deepEqual(
    lines.slice(1).map(({ msg }) => msg),
    ['worker has come back']
  )
})

test('a failure that lasts is logged once, and again when it is another one or comes back', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).err.message) })
  const results = ['away', 'away', 'locked', 'locked', 'locked', '', 'locked']
  let turn = 0
  const work = async () => {
    const message = results[turn++]
    if (message) throw new Error(message)
    return { isMoreDue: false }
  }
  const worker = startWorker({ name: 'failing', work, pauseMs: 1, log })
  atEnd(t, () => worker.stop())
  await eventually(() => assert.ok(turn > results.length))
  assert.deepEqual(lines, ['away', 'locked', 'locked'])
})

test('a worker that is woken during its work looks again without a pause', async (t) => {
  const turns: PromiseWithResolvers<{ isMoreDue: boolean }>[] = []
  const work = () => {
    const turn = Promise.withResolvers<{ isMoreDue: boolean }>()
    turns.push(turn)
    return turn.promise
  }
  const worker = startWorker({ name: 'woken', work, pauseMs: 600_000, log: pino({ level: 'silent' }) })
  atEnd(t, () => worker.stop())
  worker.wake()
  turns[0]?.resolve({ isMoreDue: false })
  await eventually(() => assert.equal(turns.length, 2))
  turns[1]?.resolve({ isMoreDue: false })
})

test('a step that fails is told and counted, and stops none of the others', async () => {
  const lines: { step: string; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const done: string[] = []
  const failed: string[] = []
  const step = (name: string, isMoreDue = false) => ({
    name,
    work: async () => {
      if (name === 'broken') throw new Error('disk full')
      done.push(name)
      return { isMoreDue }
    }
  })
  const onFailed = (name: string) => void failed.push(name)
  const steps = [step('first'), step('broken'), step('second', true), step('third')]
  assert.deepEqual(await doEachStep(steps, { log, onFailed }), { isMoreDue: true })
  assert.deepEqual([done, failed], [['first', 'second', 'third'], ['broken']])
  assert.deepEqual(
    lines.map(({ step, msg }) => [step, msg]),
    [['broken', 'cleaning step failed; the others go on']]
  )
  assert.deepEqual(await doEachStep([step('broken')], { log, onFailed }), { isMoreDue: false })
})
