import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import pino from 'pino'
import { eventually } from '../../../test/checks/eventually.ts'
import type { Pdu } from '../../smpp/pdu.ts'
import { startPair, toMessage } from './carrier.samples.ts'
import { WindowStall } from './window-stall.ts'

test('a stall is a window that was full, and no answer for long enough after that', () => {
  const stall = new WindowStall({ stallMs: 5_000 })
  const tick = (used: number, nowMs: number) => stall.tick({ used, window: 10, nowMs })
  assert.equal(tick(9, 0), false)
  assert.equal(tick(10, 1_000), false)
  assert.equal(stall.end(), false, 'an answer came')
  assert.equal(tick(10, 2_000), false)
  assert.equal(tick(0, 6_000), false, 'nothing waits for an answer')
  assert.equal(tick(10, 8_000), false)
  assert.equal(tick(4, 12_000), false)
  assert.equal(stall.since, null)
  assert.equal(tick(4, 13_000), true, 'slots that were freed because their time was over are no answers')
  assert.ok(stall.since)
  assert.equal(tick(10, 60_000), false, 'told once')
  assert.equal(stall.end(), true)
  assert.equal(stall.since, null)
})

test('a full window without answers is told once until the carrier answers again, and its slots are freed meanwhile', async (t) => {
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const told = () => lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  // Longer than a busy machine takes from one answer to the next.
  const timings = { windowStallMs: 4_000 }
  const { carrier, smsc, leases } = await startPair(t, { window: 3, answerTimeout: 1 }, { log, timings })
  const isStalled = () => carrier.status().binds[0]?.stalledSince !== null
  const submitAll = (count: number) => Promise.all(Array.from({ length: count }, () => carrier.submit(toMessage())))
  const kinds = async (outcomes: ReturnType<typeof submitAll>) => (await outcomes).map(({ kind }) => kind)

  let seen = 0
  const answer = smsc.onSubmit
  smsc.onSubmit = (submit: Pdu, link) => {
    if (++seen % 5 !== 0) answer(submit as never, link)
  }
  const mostly = await kinds(submitAll(40))
  assert.deepEqual([mostly.filter((kind) => kind === 'in-doubt').length, mostly.length], [8, 40])
  assert.deepEqual(told(), [], 'answers that are missing now and then are no stall')

  smsc.onSubmit = () => undefined
  const unanswered = kinds(submitAll(24))
  await eventually(() => assert.ok(isStalled()))
  await eventually(() => assert.ok(leases.statuses.at(-1)?.stalledSince, 'and everybody can see it'))
  assert.deepEqual(new Set(await unanswered), new Set(['in-doubt']), 'every slot is freed when its time is over')
  assert.ok(isStalled(), 'until there is an answer')
  smsc.onSubmit = answer
  assert.deepEqual(await kinds(submitAll(12)), Array(12).fill('accepted'))
  assert.deepEqual(told(), ['the window is full, and the carrier does not answer', 'the carrier answers again'])
  assert.equal(isStalled(), false)
})
