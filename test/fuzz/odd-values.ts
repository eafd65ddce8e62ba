import fc from 'fast-check'
import { ANY_CHARACTER } from '../checks/any-character.ts'

/*
 * What breaks programs: text that is hard to store, to measure or to read, numbers at the ends of their types, dates that no
 * calendar has, and JSON that no serialiser writes.
 */

/** JSON as it is written, where JSON.stringify would write it in another way. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const ODD_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\udc00\ud800',
  'e\u0301\u0327\u0308',
  '\u202eRTL\u202c مرحبا',
  '😀',
  '👩‍👩‍👧‍👦🇫🇷',
  '\u{10ffff}',
  '\ufeffBOM',
  '\u2028\u2029',
  '\u0085\u00a0\u3000',
  'a\r\nX-Injected: yes',
  '\t\v\f\u001b[31m',
  "'; drop table accounts; --",
  '%_\\%',
  '%00',
  '{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '=HYPERLINK("http://evil.example")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  '#prenom#',
  '#STOP_XXX#',
  '#SHORTURL#',
  '#a##b#c#',
  '##########',
  '#__proto__#',
  '#constructor#',
  '__proto__',
  'constructor',
  'toString',
  '[object Object]',
  'null',
  'NaN',
  '-0',
  '1e3',
  '0x10',
  '١٢٣',
  '9007199254740993',
  '€[]{}\\^~|',
  '’“”«»–—… ',
  '(a+)+$',
  '//',
  '..%2f..%2fetc%2fpasswd'
]

const ODD_PHONES = [
  '+',
  '++33639980001',
  '+0000000000',
  '0033 (0)6-39.98.00.01',
  '+33\u202d639980001\u202c',
  '٠٦٣٩٩٨٠٠٠١',
  '+1',
  '112',
  'tel:+33639980001',
  '+33639980001;ext=5',
  '+999999999999999',
  '0'.repeat(255),
  '+33639980001\n+33639980002',
  '+870773111632',
  '+88216000000'
]

const ODD_MOMENTS = [
  '0000-00-00T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2027-03-28T02:30:00',
  '2027-03-28T02:30:00+01:00',
  '2026-10-25T02:30:00',
  '2026-02-30T10:00:00Z',
  '2026-11-15T24:00:00Z',
  '2026-11-15T10:00:00+99:99',
  '2026-11-15T10:00:00-23:59',
  '2026-11-15',
  '2026-11-15 10:00',
  '2026-W46-7',
  '15/11/2026',
  '10:00:00',
  '24:00',
  '1e15',
  '1763200000000',
  'tomorrow',
  'infinity',
  'epoch',
  'now'
]

const ODD_ADDRESSES = [
  'javascript:alert(1)',
  'data:text/html,x',
  'https://',
  'https://user:secret@shop.example/',
  'https://shop.example:99999/',
  'https://[::1]/',
  'https://xn--/',
  'https://例え.テスト/道',
  'https://shop.example/\r\nSet-Cookie: a=b',
  'file:///etc/passwd',
  `https://shop.example/${'a'.repeat(2_000)}`
]

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXT) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_PHONES) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_MOMENTS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_ADDRESSES) },
  { weight: 2, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('x', 'é', '😀', ' ', '\u0301', '#a#'), fc.nat(6_000)).map(repeat) }
)

function repeat([text, length]: [string, number]): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length)
}

export const oddPhone: fc.Arbitrary<string> = fc.constantFrom(...ODD_PHONES)
export const oddMoment: fc.Arbitrary<string> = fc.constantFrom(...ODD_MOMENTS)

export const oddNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    ...[0, 1, -1, 1.5, 2 ** 15, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -(2 ** 53)],
    ...[2 ** 63, 1e21, 1e308, -1e308, 5e-324, 1e9, 1e9 + 1]
  ),
  fc.constantFrom('-0', '1e400', '-1e400', '1E0', '12345678901234567890', '0.1e-400').map((text) => new RawJson(text)),
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true })
)

/** A property named __proto__ that is one like any other. */
export function withOwn(object: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...object }, name, { value, enumerable: true, configurable: true, writable: true })
}

const oddObject = fc.constantFrom<unknown>(
  null,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  [{}],
  [1, 'a', null],
  { a: 1 },
  { length: 5 },
  { 0: 'a', 1: 'b' },
  withOwn({}, '__proto__', { isOperator: true }),
  { constructor: { prototype: { isOperator: true } } },
  { toString: 'x', valueOf: 'y', toJSON: 'z' },
  { '': '' },
  { 'a.b[0]': 1 }
)

const deep = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}']),
    fc.constantFrom(10, 60, 2_000, 20_000),
    fc.constantFrom('1', '"\\u0000"')
  )
  .map(([[open = '', close = ''], depth, inside]) => new RawJson(open.repeat(depth) + inside + close.repeat(depth)))

/** Anything that JSON can say, and some things that it should not. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: oddText },
  { weight: 4, arbitrary: oddNumber },
  { weight: 4, arbitrary: oddObject },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: deep }
)
