import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonMistake, parseJsonWithPlaces, toValue } from './json-places.ts'

function parsed(text: string): unknown {
  return toValue(parseJsonWithPlaces(text).root)
}

function outcome(parse: (text: string) => unknown, text: string): { value: unknown } | 'refused' {
  try {
    return { value: parse(text) }
  } catch (error) {
    assert.ok(error instanceof JsonMistake || error instanceof SyntaxError, String(error))
    return 'refused'
  }
}

const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, null, 2))
)

test('every text that JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(json, (text) => assert.deepEqual(parsed(text), JSON.parse(text))),
    { numRuns: 2000 }
  )
})

test('a text that was changed anywhere is refused, or read with the same value, exactly as by JSON.parse', () => {
  const pieces = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '1', '-', '+', '.', 'e', 'u', 'tru', 'null', '/', ' ']
  const piece = fc.oneof(fc.constantFrom(...pieces, '\n', '\r', '\t', '\0', '\u2028', '\ufeff', '"a":1,'), fc.string())
  const change = fc.record({ at: fc.nat(), taken: fc.nat(3), piece })
  let refused = 0
  fc.assert(
    fc.property(json, fc.array(change, { minLength: 1, maxLength: 3 }), (original, changes) => {
      let text = original
      for (const { at, taken, piece } of changes) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + piece + text.slice(place + taken)
      }
      const ours = outcome(parsed, text)
      if (ours === 'refused') refused++
      assert.deepEqual(ours, outcome(JSON.parse, text), JSON.stringify(text))
    }),
    { numRuns: 10_000 }
  )
  assert.ok(refused > 1000 && refused < 10_000, `${refused} refused`)
})

test('odd texts are judged as by JSON.parse', () => {
  const texts = [
    '',
    ' ',
    '-',
    '-0',
    '01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1e999',
    '-1.5E-3',
    '+1',
    'NaN',
    'Infinity',
    'truex'
  ]
  texts.push(
    'nul',
    '"',
    '"\\',
    '"\\u12',
    '"\\u00e9"',
    '"\\ud83d"',
    '"\\x41"',
    '"\u0000"',
    '"\u007f\u2028"',
    "'a'",
    '[1,]'
  )
  texts.push(
    '[,1]',
    '[1 2]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1 "b":2}',
    '1 1',
    '[]]',
    '// a\n1',
    '1 # a'
  )
  texts.push(
    '{"__proto__":{"x":1},"constructor":2,"":3}',
    '{"10":1,"9":2,"b":3,"a":4}',
    '\u00a01',
    '\u000b1',
    '\ufeff1'
  )
  for (const text of texts) assert.deepEqual(outcome(parsed, text), outcome(JSON.parse, text), JSON.stringify(text))
  assert.equal(({} as { x?: number }).x, undefined)
})

test('every key and value knows its line and column', () => {
  const { root } = parseJsonWithPlaces('\n{ "a": [1,\r\n  "two"],\n\t"b":\n{}}')
  assert.ok(root.kind === 'object')
  assert.deepEqual([root.line, root.column], [2, 1])
  const { a, b } = Object.fromEntries(root.members)
  assert.ok(a?.node.kind === 'array' && b)
  assert.deepEqual(a.key, { line: 2, column: 3 })
  assert.deepEqual([a.node.line, a.node.column], [2, 8])
  assert.deepEqual(a.node.items, [
    { line: 2, column: 9, kind: 'scalar', value: 1 },
    { line: 3, column: 3, kind: 'scalar', value: 'two' }
  ])
  assert.deepEqual(b.key, { line: 4, column: 2 })
  assert.deepEqual([b.node.line, b.node.column], [5, 1])
})

test('a key that is written twice is told with both its lines, and the later one counts', () => {
  const { root, repeated } = parseJsonWithPlaces('{"a":[{"b c":1,\n"b c":2}],\n\n"a":3}')
  assert.deepEqual(repeated, [
    { line: 2, column: 1, path: 'a[0]["b c"]', firstLine: 1 },
    { line: 4, column: 1, path: 'a', firstLine: 1 }
  ])
  assert.deepEqual(toValue(root), { a: 3 })
})

test('what is no JSON is told with its place, in words, and without quoting it', () => {
  const cases: [text: string, line: number, column: number, sentence: string][] = [
    ['', 1, 1, 'the text ends too early: a value must stand here'],
    ['{"a": hunter2}', 1, 7, 'a value must stand here'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a comma or } must stand here'],
    ['[1,\n 2', 2, 3, 'the text ends too early: a comma or ] must stand here'],
    ['{"a": 1,\n}', 1, 8, 'there is a comma too many before the }'],
    ['[1, 2, ]', 1, 6, 'there is a comma too many before the ]'],
    ['{ a: 1 }', 1, 3, 'a key in double quotes must stand here'],
    ["{ 'a': 1 }", 1, 3, 'strings stand in double quotes: a key in double quotes must stand here'],
    ['{"a" 1}', 1, 6, 'a colon must follow the key'],
    ['// ours\n{}', 1, 1, 'JSON has no comments: a value must stand here'],
    ['{"password": "hunter2\n}', 1, 14, 'the string that begins here is not closed on its line'],
    ['"a\tb"', 1, 3, 'a control character in a string must be written as an escape, a tab as \\t'],
    ['"C:\\sms"', 1, 4, 'there is no such escape; a backslash itself is written \\\\'],
    ['"\\u12g4"', 1, 2, 'four hexadecimal digits must follow \\u'],
    ['{}\n{}', 2, 1, 'nothing may follow the end of the JSON']
  ]
  for (const [text, line, column, sentence] of cases) {
    assert.throws(
      () => parseJsonWithPlaces(text),
      (error: JsonMistake) => {
        assert.deepEqual({ ...error.place, sentence: error.message }, { line, column, sentence }, text)
        return true
      }
    )
  }
})

test('deep and huge texts end', () => {
  for (const bracket of ['[', '{"a":']) {
    assert.throws(() => parseJsonWithPlaces(bracket.repeat(1_000_000)), /brackets must not be nested more than 32 deep/)
  }
  assert.equal(parsed(`"${'\\n'.repeat(1_000_000)}"`), '\n'.repeat(1_000_000))
  assert.equal(parsed(`${' \n'.repeat(1_000_000)}1`), 1)
  assert.equal(parsed('9'.repeat(1_000_000)), Number.POSITIVE_INFINITY)
  assert.throws(() => parseJsonWithPlaces(`"${'a'.repeat(1_000_000)}`), /is not closed/)
})
