import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { findJsonExcess } from './json-limits.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

// Failure mode 67.
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
})

test('any JSON that is not deep passes', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => assert.equal(findJsonExcess(text), undefined)))
})
