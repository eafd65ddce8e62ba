import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import Type from 'typebox'
import { withoutEmptyFields, withoutNulls } from './absent.ts'
import { coerceText } from './coerce.ts'
import { Nullable } from './nullable.ts'
import { findUnstorable } from './unstorable.ts'
import { validator } from './validate.ts'

const Contact = Type.Object({ tel: Type.String({ minLength: 1 }), age: Type.Optional(Type.Integer({ minimum: 0 })) })
const Body = Type.Object({
  name: Type.String({ maxLength: 5 }),
  mode: Type.Optional(Type.Enum(['self', 'parent'])),
  contacts: Type.Optional(Type.Array(Contact, { maxItems: 2 })),
  note: Type.Optional(Nullable(Type.String()))
})

test('every problem has the path of its field, a missing field too', () => {
  const validate = validator(Body)
  assert.deepEqual(validate({}), { problems: [{ path: 'name', message: 'is missing' }] })
  assert.deepEqual(
    validate({ name: 'toolong', mode: 'x', contacts: [{ tel: '' }, { age: -1 }, { tel: 1 }], note: 3 }),
    {
      problems: [
        { path: 'name', message: 'must have at most 5 characters' },
        { path: 'mode', message: 'must be one of "self", "parent"' },
        { path: 'contacts[0].tel', message: 'must not be empty' },
        { path: 'contacts[1].tel', message: 'is missing' },
        { path: 'contacts[1].age', message: 'must be at least 0' },
        { path: 'contacts[2].tel', message: 'must be a string' },
        { path: 'contacts', message: 'must have at most 2 items' },
        { path: 'note', message: 'must be a string or null' }
      ]
    }
  )
  for (const value of [null, [], 'text', 7]) {
    assert.deepEqual(validate(value), { problems: [{ path: '', message: 'must be an object' }] })
  }
})

const Circle = Type.Object({ kind: Type.Literal('circle'), radius: Type.Number({ minimum: 0 }) }, { $id: 'Circle' })
const Square = Type.Object({ kind: Type.Literal('square'), side: Type.Number(), label: Type.Optional(Type.String()) })
const Shape = Type.Union([Circle, Square])

test('of a union, only the problems of the meant branch are reported', () => {
  const validate = validator(
    Type.Object({
      name: Type.String(),
      first: Type.Optional(Nullable(Circle)),
      shapes: Type.Array(Shape, { minItems: 1, maxItems: 5 })
    })
  )
  const circle = { kind: 'circle', radius: 1 }
  for (const fine of [
    { name: 'a', shapes: [circle] },
    { name: 'a', first: null, shapes: [circle] }
  ]) {
    assert.deepEqual(validate(fine), { value: fine })
  }
  const shapes = [circle, { kind: 'square', radius: 1 }, { kind: 'oval' }, { radius: 1 }, 'circle']
  assert.deepEqual(validate({ first: { kind: 'circle', radius: -1 }, shapes }), {
    problems: [
      { path: 'name', message: 'is missing' },
      { path: 'first.radius', message: 'must be at least 0' },
      { path: 'shapes[1].side', message: 'is missing' },
      { path: 'shapes[2].kind', message: 'must be one of "circle", "square"' },
      { path: 'shapes[3].kind', message: 'is missing' },
      { path: 'shapes[4]', message: 'must be an object' }
    ]
  })
  assert.deepEqual(validate({ name: 'a', first: null, shapes: [{ kind: 'square', side: '1', label: 2 }] }), {
    problems: [
      { path: 'shapes[0].side', message: 'must be a number' },
      { path: 'shapes[0].label', message: 'must be a string' }
    ]
  })
  for (const [shapes, message] of [
    [[], 'must not be empty'],
    ['x', 'must be an array'],
    [null, 'must be an array']
  ]) {
    assert.deepEqual(validate({ name: 'a', shapes }), { problems: [{ path: 'shapes', message }] })
  }
  assert.deepEqual(validate({ name: 'a' }), { problems: [{ path: 'shapes', message: 'is missing' }] })
  assert.deepEqual(validate(null), { problems: [{ path: '', message: 'must be an object' }] })
})

test('of a union without a telling property, the problems of the nearest branch are reported', () => {
  const Text = Type.Object({ text: Type.String(), shapes: Type.Optional(Type.Array(Shape)) })
  const Card = Type.Object({ title: Type.Optional(Type.String()), shapes: Type.Optional(Type.Array(Shape)) })
  const validate = validator(Type.Object({ data: Type.Union([Text, Card]) }))
  assert.deepEqual(validate({ data: { title: 5 } }), {
    problems: [{ path: 'data.title', message: 'must be a string' }]
  })
  assert.deepEqual(validate({ data: { text: 5, shapes: [{}] } }), {
    problems: [
      { path: 'data.text', message: 'must be a string' },
      { path: 'data.shapes[0].kind', message: 'is missing' }
    ]
  })
  assert.deepEqual(validate({ data: [] }), { problems: [{ path: 'data', message: 'must be an object' }] })
})

test('a field has one problem, that of the branch with its type if it is a union', () => {
  const validate = validator(
    Type.Object({
      kind: Type.Integer({ enum: [1, 2] }),
      lists: Type.Array(Type.Union([Type.Integer({ minimum: 1 }), Type.String({ maxLength: 3, pattern: '^[1-9]+$' })]))
    })
  )
  assert.deepEqual(validate({ kind: '1', lists: [1, '2', 0, 'abcd', true, 1.5, null] }), {
    problems: [
      { path: 'kind', message: 'must be a whole number' },
      { path: 'lists[2]', message: 'must be at least 1' },
      { path: 'lists[3]', message: 'must have at most 3 characters' },
      { path: 'lists[4]', message: 'must be a whole number or a string' },
      { path: 'lists[5]', message: 'must be a whole number or a string' },
      { path: 'lists[6]', message: 'must be a whole number or a string' }
    ]
  })
})

test('two hundred thousand wrong things in a union make a short answer, in no time', () => {
  const validate = validator(Type.Array(Shape, { maxItems: 100 }))
  const startedAt = performance.now()
  for (const item of [{ kind: 'oval' }, { kind: 'circle', radius: 1 }]) {
    const result = validate(Array.from({ length: 200_000 }, () => item))
    assert.ok('problems' in result && result.problems.length <= 50)
    assert.deepEqual(result.problems.at(-1), { path: '', message: 'must have at most 100 items' })
  }
  assert.ok(performance.now() - startedAt < 2_000)
})

test('a mistake beside a hundred thousand right things is found in no time', () => {
  const Recipient = Type.Object(
    { recipient: Type.String({ maxLength: 40 }) },
    { additionalProperties: Type.Union([Type.String(), Type.Number()]) }
  )
  const validate = validator(Type.Object({ content: Type.String({ minLength: 1 }), recipients: Type.Array(Recipient) }))
  const recipients: object[] = Array.from({ length: 100_000 }, (_, index) => ({
    recipient: `+336${index}`,
    nom: 'Roy'
  }))
  const startedAt = performance.now()
  assert.deepEqual(validate({ content: '', recipients }), {
    problems: [{ path: 'content', message: 'must not be empty' }]
  })
  recipients.push({ recipient: 7, nom: 'Roy' }, { recipient: '+337', nom: null })
  assert.deepEqual(validate({ content: 'a', recipients }), {
    problems: [
      { path: 'recipients[100000].recipient', message: 'must be a string' },
      { path: 'recipients[100001].nom', message: 'must be a string or a number' }
    ]
  })
  assert.ok(performance.now() - startedAt < 2_000)
})

test('a hundred thousand mistakes make a short answer', () => {
  const validate = validator(Type.Array(Type.Integer()))
  const result = validate(Array.from({ length: 100_000 }, () => 'x'))
  assert.ok('problems' in result && result.problems.length === 50)
})

test('types are strict: text is no number and true is not 1', () => {
  const validate = validator(Type.Object({ credits: Type.Integer() }))
  for (const credits of ['1', true, 1.5, null, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.ok('problems' in validate({ credits }), String(credits))
  }
})

test('text becomes the number or boolean a schema asks for, and nothing else does', () => {
  const schema = Type.Object({
    whole: Type.Integer(),
    decimal: Type.Number(),
    flag: Type.Boolean(),
    text: Type.String(),
    list: Type.Array(Type.Integer())
  })
  assert.deepEqual(
    coerceText(schema, { whole: '42', decimal: '-1.5', flag: 'True', text: '7', list: ['1', 'x'], other: '8' }),
    { whole: 42, decimal: -1.5, flag: true, text: '7', list: [1, 'x'], other: '8' }
  )
  for (const odd of ['', ' 1', '0x10', '1e3', '1,5', 'NaN', '٣']) {
    assert.deepEqual(coerceText(schema, { whole: odd }), { whole: odd })
  }
})

test('text in a union of objects becomes the number that the object meant asks for', () => {
  const schema = Type.Object({ shapes: Type.Array(Shape), first: Type.Optional(Nullable(Circle)) })
  assert.deepEqual(
    coerceText(schema, {
      first: { kind: 'circle', radius: '3' },
      shapes: [
        { kind: 'circle', radius: '1.5' },
        { kind: 'square', side: '2', label: '7', other: '8' }
      ]
    }),
    {
      first: { kind: 'circle', radius: 3 },
      shapes: [
        { kind: 'circle', radius: 1.5 },
        { kind: 'square', side: 2, label: '7', other: '8' }
      ]
    }
  )
})

const Order = Type.Object({
  name: Type.String(),
  city: Type.Optional(Type.String()),
  count: Type.Optional(Type.Integer()),
  link: Type.Optional(Type.Object({ mode: Type.Enum(['one', 'all']), url: Type.String() })),
  shape: Type.Optional(Nullable(Circle)),
  people: Type.Optional(
    Type.Array(Type.Object({ tel: Type.Optional(Type.String()) }, { additionalProperties: Type.Unknown() }))
  )
})

test('null counts as absent at any depth, except where the schema takes null', () => {
  const given = JSON.parse(`{
    "name": null, "count": null, "extra": null, "link": {"mode": "one", "url": null}, "shape": null,
    "people": [{"tel": null, "nom": null, "age": 3}, null], "__proto__": null
  }`)
  assert.deepEqual(withoutNulls(Order, given), {
    extra: null,
    link: { mode: 'one' },
    shape: null,
    people: [{ age: 3 }, null],
    ['__proto__']: null
  })
  const Shapes = Type.Object({ shapes: Type.Array(Shape) })
  assert.deepEqual(withoutNulls(Shapes, { shapes: [{ kind: 'square', side: 2, label: null }] }), {
    shapes: [{ kind: 'square', side: 2 }]
  })
  for (const value of [null, 7, 'null', []]) assert.deepEqual(withoutNulls(Order, value), value)
})

test('an empty field of a form counts as absent, unless it is needed or clears something', () => {
  const people = [{ tel: '', nom: '' }, '']
  const given = { name: '', city: '', count: '', link: { mode: '', url: '' }, people }
  const kept = { name: '', people: [{ nom: '' }, ''] }
  assert.deepEqual(withoutEmptyFields(Order, given, { isChange: false }), kept)
  // Empty text is no number and no mode: in a change, too, both are absent.
  const Changes = Type.Partial(Order)
  const changed = withoutEmptyFields(
    Changes,
    { name: '', city: '', count: '', shape: { kind: '' } },
    { isChange: true }
  )
  assert.deepEqual(changed, { name: '', city: '', shape: {} })
})

test('text that can’t be stored is found where the schema knows it, and nowhere else', () => {
  assert.equal(findUnstorable(Order, { name: 'a', extra: '\0', people: [{ nom: '\0', 'a\0b': '\ud800' }] }), undefined)
  assert.equal(findUnstorable(Order, { link: { url: 'a\ud800' } })?.path, 'link.url')
  assert.equal(findUnstorable(Order, { people: [{}, { tel: '\0' }] })?.path, 'people[1].tel')
  assert.equal(findUnstorable(Type.Record(Type.String(), Type.String()), { 'a\0': 'b' })?.path, '')
})
