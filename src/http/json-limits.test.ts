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
  assert.equal(findJsonExcess(`[${'{"a": 1, "b": ":"},'.repeat(200_000)}0]`), undefined)
})

test('JSON whose objects are slow to parse is told before it is parsed', () => {
  const object = (names: readonly string[]) => `{${names.map((name) => `"${name}":0`)}}`
  const list = (count: number, namesOf: (index: number) => string[]) =>
    `[${Array.from({ length: count }, (_, index) => object(namesOf(index)))}]`
  const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)

  // As many names as there are recipients are fine.
  assert.equal(findJsonExcess(list(95_000, (index) => ['recipient', `key ${index}`])), undefined)
  const tooManyOrders = /^has more than 150000 property names, or orders in which they come$/
  assert.match(findJsonExcess(list(160_000, (index) => ['recipient', `key ${index}`])) ?? '', tooManyOrders)
  // Contacts that have any of their fields.
  const fields = names(17)
  assert.equal(findJsonExcess(list(100_000, (index) => fields.filter((_, field) => (index >> field) & 1))), undefined)
  // A few names in ever other orders: 3 MB took a second to parse, and 33 MB half a minute.
  const turned = (index: number) => names(100).map((_, at) => `v${(index * 7_919 + at * 131) % 9_973}`)
  assert.match(findJsonExcess(list(3_000, turned)) ?? '', tooManyOrders)

  assert.equal(findJsonExcess(list(10_000, () => names(100))), undefined)
  const tooManySlow = /^has more than 500000 properties in objects of more than 128$/
  assert.equal(findJsonExcess(list(2_400, () => names(200))), undefined)
  assert.match(findJsonExcess(list(2_600, () => names(200))) ?? '', tooManySlow)
  assert.match(findJsonExcess(`{"a":[${list(100, () => names(6_000))}],"b":1}`) ?? '', tooManySlow)
})

test('any JSON that is not deep passes', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => assert.equal(findJsonExcess(text), undefined)))
})
