import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { SEQUENCE_MAX, Sequence } from './sequence.ts'

test('numbers count up from 1, and after the last comes 1 again', () => {
  const sequence = new Sequence(new Set())
  assert.deepEqual([sequence.next(), sequence.next(), sequence.next()], [1, 2, 3])
  const late = new Sequence(new Set(), 0x7fffffff - 2)
  assert.deepEqual([late.next(), late.next(), late.next(), late.next()], [0x7ffffffd, 0x7ffffffe, 0x7fffffff, 1])
})

test('a number that waits for its answer is passed over, also where the count begins again', () => {
  const pending = new Map([0x7ffffffe, 0x7fffffff, 1, 2, 4].map((sequence) => [sequence, 'a request']))
  const sequence = new Sequence(pending, 0x7ffffffd)
  assert.deepEqual([sequence.next(), sequence.next(), sequence.next()], [0x7ffffffd, 3, 5])
})

test('submits and enquire_links that interleave never share a number while it waits', () => {
  const answers = fc.array(fc.nat({ max: 9 }), { maxLength: 200 })
  fc.assert(
    fc.property(answers, (order) => {
      const pending = new Set<number>()
      const sequence = new Sequence(pending, SEQUENCE_MAX - 5)
      for (const which of order) {
        const next = sequence.next()
        assert.ok(next >= 1 && next <= SEQUENCE_MAX)
        assert.ok(!pending.has(next))
        pending.add(next)
        const answered = [...pending][which]
        if (answered !== undefined) pending.delete(answered)
      }
    })
  )
})
