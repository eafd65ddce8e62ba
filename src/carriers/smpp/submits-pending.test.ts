import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Sequence } from '../../smpp/sequence.ts'
import { submitAnswer } from './carrier.samples.ts'
import { SubmitsPending, type SubmitWaiter } from './submits-pending.ts'

function startSubmits() {
  // Only sweeps name another time. By the real clock, the answer timeout could pass in the middle of a loop.
  const nowMs = 0
  const submits = new SubmitsPending({ answerTimeoutMs: 1_000, lateAnswersMs: 5_000, nowMs: () => nowMs })
  const told: string[] = []
  const add = (sequence: number) => {
    const waiter: SubmitWaiter = {
      onAnswer: () => told.push(`${sequence} answered`),
      onNoAnswer: (why) => told.push(`${sequence} ${why}`),
      onLateAnswer: () => told.push(`${sequence} late`)
    }
    submits.add(sequence, waiter)
  }
  const answer = (sequence: number) => submits.answer({ ...submitAnswer(sequence, 0, ''), command: 'generic_nack' })
  return { submits, told, add, answer, nowMs }
}

test('a submit is settled once: answered, silent and then late, or lost', () => {
  const { submits, told, add, answer, nowMs } = startSubmits()
  for (const sequence of [1, 2, 3]) add(sequence)
  assert.equal(answer(1), true)
  assert.equal(answer(1), false)
  submits.sweep(nowMs + 500)
  assert.equal(submits.count, 2)
  submits.sweep(nowMs + 2_000)
  assert.equal(submits.count, 0)
  assert.equal(answer(2), true)
  assert.equal(answer(2), false)
  add(4)
  submits.markWritten()
  add(5)
  submits.close()
  assert.deepEqual(told, ['1 answered', '2 silent', '3 silent', '2 late', '4 lost', '5 unwritten'])
  assert.equal(answer(3), false)
})

test('a number is free only when its answer can’t come any more', () => {
  const { submits, add, answer, nowMs } = startSubmits()
  const sequence = new Sequence(submits, 1)
  add(sequence.next())
  submits.sweep(nowMs + 2_000)
  assert.equal(submits.has(1), true)
  assert.equal(new Sequence(submits, 1).next(), 2)
  submits.sweep(nowMs + 8_000)
  assert.equal(submits.has(1), false)
  assert.equal(answer(1), false)
})

test('time in which nothing could be read does not count', () => {
  const { submits, told, add, nowMs } = startSubmits()
  add(1)
  submits.postpone(3_000)
  submits.sweep(nowMs + 3_500)
  assert.deepEqual(told, [])
  submits.sweep(nowMs + 4_500)
  assert.deepEqual(told, ['1 silent'])
})

test('late ones are kept in bounded number, the oldest forgotten first', () => {
  const { submits, add, nowMs } = startSubmits()
  for (let sequence = 1; sequence <= 25_000; sequence++) {
    add(sequence)
    submits.sweep(nowMs + 2_000)
  }
  assert.ok(submits.size <= 10_000)
  assert.deepEqual([submits.has(1), submits.has(25_000)], [false, true])
})
