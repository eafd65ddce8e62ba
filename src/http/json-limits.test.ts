import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { findJsonExcess } from './json-limits.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('JSON that nests too deep or has too many values is told before it is parsed', () => {
  assert.equal(findJsonExcess(nested(50)), undefined)
  for (const text of [
    nested(51),
    nested(100_000),
    '['.repeat(100_000),
    '{"a":'.repeat(60),
    // Brackets and quotes inside of strings count for nothing.
    '["]",'.repeat(60),
    '["\\"]",'.repeat(60),
    '["\\\\\\"]\\\\",'.repeat(60)
  ]) {
    assert.match(findJsonExcess(text) ?? '', /^is nested deeper than 50$/)
  }
  assert.equal(findJsonExcess(`["${'['.repeat(1_000)}"]`), undefined)
  assert.equal(findJsonExcess(`["\\\\",${nested(40)}]`), undefined)
  assert.match(findJsonExcess(`[${'{},'.repeat(1_000_001)}{}]`) ?? '', /^has more than 1000000 objects and arrays$/)
  assert.match(findJsonExcess(`[${'0,'.repeat(4_000_000)}0]`) ?? '', /^has more than 4000000 values$/)
  assert.equal(findJsonExcess(`{"recipients":[${'"0639980001",'.repeat(99_999)}"0639980001"]}`), undefined)
  assert.equal(findJsonExcess('"'), undefined)
  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => `{"recipient":"0","key ${index}":0}`)
  // As many names as there are recipients are fine; several times as many would keep the parser busy for seconds.
  assert.equal(findJsonExcess(`{"recipients":[${recipients(95_000)}]}`), undefined)
  assert.match(findJsonExcess(`{"recipients":[${recipients(110_000)}]}`) ?? '', /^has more than 100000 property names$/)
  assert.equal(findJsonExcess(`[${'{"a": 1, "b": ":"},'.repeat(200_000)}0]`), undefined)
})

test('any JSON that is not deep passes', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => assert.equal(findJsonExcess(text), undefined)))
})
