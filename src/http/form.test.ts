import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseForm } from './form.ts'

test('a form with nested brackets becomes what the same JSON would be', () => {
  const cases: [form: string, value: unknown][] = [
    ['a=1&b=two', { a: '1', b: 'two' }],
    ['recipients[0]=06&recipients[1]=07', { recipients: ['06', '07'] }],
    ['recipients[]=06&recipients[]=07', { recipients: ['06', '07'] }],
    ['recipients[1]=a&recipients[]=b&recipients[0]=c', { recipients: ['c', 'a', 'b'] }],
    ['recipients%5B0%5D=%2B336', { recipients: ['+336'] }],
    ['recipients[5]=b&recipients[2]=a', { recipients: ['a', 'b'] }],
    ['contacts[0][tel]=06&contacts[0][nom]=L%C3%A9a', { contacts: [{ tel: '06', nom: 'Léa' }] }],
    ['data[cards][0][choices][1][type]=url', { data: { cards: [{ choices: [{ type: 'url' }] }] } }],
    ['a=first&a=last', { a: 'last' }],
    ['', {}],
    ['=x', { '': 'x' }],
    ['0=a&1=b', { 0: 'a', 1: 'b' }],
    ['[0]=x', { '[0]': 'x' }],
    ['a[b=c', { a: 'c' }],
    ['content=a%20b+c', { content: 'a b c' }]
  ]
  for (const [form, value] of cases) assert.deepEqual(parseForm(form), value, form)
})

test('a field named __proto__ is data and reaches no prototype', () => {
  const value = parseForm('__proto__[polluted]=yes&constructor[prototype][polluted]=yes') as Record<string, unknown>
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
})

test('a form nested without end is refused', () => {
  assert.throws(() => parseForm(`a${'[b]'.repeat(50)}=1`), /nested deeper/)
})

test('any form at all is read without an exception other than a refusal', () => {
  const piece = fc.constantFrom('a', '[', ']', '0', '=', '&', '%', '%5B', '__proto__', '😀', '+')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        assert.equal(typeof parseForm(pieces.join('')), 'object')
      } catch (error) {
        assert.equal((error as Error).name, 'Refusal')
      }
    })
  )
})

test('a form of 100,000 contacts is read whole', () => {
  const pairs = Array.from({ length: 100_000 }, (_, index) => `contacts[${index}][tel]=${index}`)
  const { contacts } = parseForm(pairs.join('&')) as { contacts: { tel: string }[] }
  assert.equal(contacts.length, 100_000)
  assert.deepEqual(contacts.at(-1), { tel: '99999' })
})

test('a form of more fields, or names, than can be read in a second is refused', () => {
  assert.throws(() => parseForm('a[]=1&'.repeat(500_001)), /more than 500000 fields/)
  const named = (count: number) => Array.from({ length: count }, (_, index) => `a[b${index}]=1`).join('&')
  assert.throws(() => parseForm(named(100_000)), /more than 100000 names/)
  const turned = (at: number) => `c[${Math.floor(at / 100)}][v${(Math.floor(at / 100) * 7_919 + at * 131) % 9_973}]=1`
  const inOtherOrders = Array.from({ length: 160_000 }, (_, at) => turned(at)).join('&')
  assert.throws(() => parseForm(inOtherOrders), /more than 150000 names, or orders in which they come/)
  const deep = Array.from({ length: 210_000 }, (_, index) => `a[${index}][]=1`).join('&')
  assert.throws(() => parseForm(deep), /more than 200000 objects and lists/)
})
