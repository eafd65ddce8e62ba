import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createCodes, isCode } from './codes.ts'

test('codes have ten characters of 62, and of a million no two are alike', () => {
  const codes = createCodes(1_000_000)
  assert.equal(codes.length, 1_000_000)
  assert.equal(new Set(codes).size, 1_000_000)
  for (const code of codes) if (!/^[0-9A-Za-z]{10}$/.test(code)) assert.fail(code)
})

test('at each place every character is as likely as any other', () => {
  const codes = createCodes(620_000)
  for (let place = 0; place < 10; place++) {
    const counts = new Map<string, number>()
    for (const code of codes) counts.set(code[place] ?? '', (counts.get(code[place] ?? '') ?? 0) + 1)
    assert.equal(counts.size, 62)
    // Chi-square with 61 degrees of freedom: its mean is 61, and 1 in 10^9 of fair draws passes 145. A byte modulo 62
    // without drawing again would come to some 4,000.
    const expected = codes.length / 62
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    assert.ok(chiSquare < 145, `place ${place}: ${chiSquare}`)
    assert.ok(chiSquare > 15, `place ${place} is too even to be chance: ${chiSquare}`)
  }
})

test('a character says nothing about the next one', () => {
  const codes = createCodes(400_000)
  const pairs = new Map<string, number>()
  for (const code of codes) {
    for (let place = 0; place < 9; place += 2) {
      const pair = code.slice(place, place + 2)
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
  }
  assert.equal(pairs.size, 62 * 62)
  const expected = (codes.length * 5) / (62 * 62)
  const chiSquare = [...pairs.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // 3,843 degrees of freedom: a deviation of 88, and six of them.
  assert.ok(Math.abs(chiSquare - 3_843) < 530, String(chiSquare))
})

test('as many are made as are asked for, few or none', () => {
  for (const count of [0, 1, 2, 3, 6_553, 6_554]) assert.equal(new Set(createCodes(count)).size, count)
})

test('texts with the form of a code are recognised', () => {
  assert.equal(isCode('aZ09aZ09aZ'), true)
  for (const text of ['', 'aZ09aZ09a', 'aZ09aZ09aZ1', 'aZ09aZ09a-', 'aZ09aZ09a\n', 'aZ09aZ09é9']) {
    assert.equal(isCode(text), false, text)
  }
})
