import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import Type from 'typebox'
import { coerceText } from './coerce.ts'
import { Nullable } from './nullable.ts'
import { validator } from './validate.ts'

const Contact = Type.Object({ tel: Type.String({ minLength: 1 }), age: Type.Optional(Type.Integer({ minimum: 0 })) })
const Body = Type.Object({
  name: Type.String({ maxLength: 5 }),
  mode: Type.Optional(Type.Enum(['self', 'parent'])),
  contacts: Type.Optional(Type.Array(Contact, { maxItems: 2 })),
  note: Type.Optional(Nullable(Type.String()))
})

test('every problem is told with the path of its field, a missing one too', () => {
  const validate = validator(Body)
  assert.deepEqual(validate({}), { problems: [{ path: 'name', message: 'is required' }] })
  assert.deepEqual(
    validate({ name: 'toolong', mode: 'x', contacts: [{ tel: '' }, { age: -1 }, { tel: 1 }], note: 3 }),
    {
      problems: [
        { path: 'name', message: 'must have at most 5 characters' },
        { path: 'mode', message: 'must be one of "self", "parent"' },
        { path: 'contacts[0].tel', message: 'must not be empty' },
        { path: 'contacts[1].tel', message: 'is required' },
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
    coerceText(schema, { whole: '42', decimal: '-1.5', flag: 'true', text: '7', list: ['1', 'x'], other: '8' }),
    { whole: 42, decimal: -1.5, flag: true, text: '7', list: [1, 'x'], other: '8' }
  )
  for (const odd of ['', ' 1', '0x10', '1e3', '1,5', 'NaN', '٣']) {
    assert.deepEqual(coerceText(schema, { whole: odd }), { whole: odd })
  }
})
