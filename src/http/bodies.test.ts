import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { listAllOperations } from '../../scripts/all-operations.ts'
import { withoutNulls } from '../schemas/absent.ts'
import { onlyDeclared } from '../schemas/declared.ts'
import { branchesOf, itemsOf, type JsonSchema, propertyOf } from '../schemas/json-schema.ts'
import { listPatterns } from '../schemas/pattern-words.ts'
import { FORMAT_WORDS, validator } from '../schemas/validate.ts'
import { withExampleValues } from './example-values.ts'

type Path = (string | number)[]

const bodies = listAllOperations().flatMap(({ id, body, example }) =>
  body ? [{ id, schema: body, example: (example.body ?? {}) as object }] : []
)

test('in every operation, null for an optional property is the same request without that property', () => {
  let places = 0
  for (const { id, schema, example } of bodies) {
    for (const path of optionalPlaces(schema, example)) {
      assert.deepEqual(
        withoutNulls(schema, withValue(example, path, null)),
        withValue(example, path, undefined),
        `${id}: ${path.join('.')}`
      )
      places++
    }
  }
  assert.ok(places > 100, `only ${places} places`)
})

test('in every operation, null for a required property says that it is missing, unless it means something', () => {
  for (const { id, schema, example } of bodies) {
    const { required = [], properties = {} } = schema as JsonSchema
    const takesNull = (name: string) =>
      branchesOf(properties[name] ?? {}).some(({ type }) => [type].flat().includes('null'))
    for (const name of required.filter((name) => !takesNull(name))) {
      const result = validator(schema)(withoutNulls(schema, withValue(example, [name], null)))
      assert.deepEqual(result, { problems: [{ path: name, message: 'is missing' }] }, id)
    }
  }
})

test('in every operation, the example keeps all of its properties, and objects within lose those that nobody declares', () => {
  for (const { id, schema, example } of bodies) assert.deepEqual(onlyDeclared(example, schema), example, id)
  const send = bodies.find(({ id }) => id === 'sendSmsDynamic')
  assert.ok(send)
  const body = {
    content: 'a',
    recipients: [{ recipient: '06', any: 1 }],
    shorturl: { mode: 'unique', url: 'https://a.b' }
  }
  const planted = { ...body, extra: 1, shorturl: { ...body.shorturl, '\0': 1, extra: { '\0': '\ud800' } } }
  assert.deepEqual(onlyDeclared(planted, send.schema), body)
})

test('every pattern and format of a request has words for a person, with an example', () => {
  const schemas = listAllOperations().flatMap(({ body, query }) => [body ?? {}, query ?? {}])
  const patterns = schemas.flatMap(listPatterns)
  assert.ok(patterns.length > 0)
  for (const { pattern, words } of patterns) assert.match(words ?? '', / such as \S/, pattern)
  const formats = new Set(
    JSON.stringify(schemas)
      .matchAll(/"format":"([^"]+)"/g)
      .map(([, format]) => format ?? '')
  )
  assert.ok(formats.has('email'))
  for (const format of formats) assert.match(FORMAT_WORDS[format] ?? '', / such as \S/, format)
})

test('a value of the wrong type is told with the value that the operation’s own example has there', () => {
  const example = { name: 'Ana', tags: [{ id: 7 }], long: 'x'.repeat(100) }
  const told = (path: string, message: string) => withExampleValues([{ path, message }], example)[0]?.message
  assert.equal(told('name', 'must be a string'), 'must be a string, such as "Ana"')
  assert.equal(told('tags', 'must be an array'), 'must be an array, such as [{"id":7}]')
  assert.equal(told('tags[4].id', 'must be a whole number'), 'must be a whole number, such as 7')
  for (const path of ['long', 'other', 'name.deeper', 'constructor', '']) {
    assert.equal(told(path, 'must be a number')?.includes('xxx'), false)
  }
  for (const message of ['is missing', 'must be at least 1', 'must be a time of day, such as 20:30']) {
    assert.equal(told('name', message), message)
  }
})

/** Where a body may leave something out: at its top, and in whatever objects it holds. Null means something to a few. */
function optionalPlaces(schema: TSchema, value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const branches = branchesOf(schema)
  const items = itemsOf(branches)
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => below(index, optionalPlaces(items, item))) : []
  const required = new Set(branches.flatMap(({ required = [] }) => required))
  const declared = branches.flatMap(({ properties = {} }) => Object.entries(properties))
  const here = declared
    .filter(([name, property]) => !required.has(name) && !takesNull(property))
    .map(([name]) => [name])
  const deeper = Object.entries(value).flatMap(([name, item]) => {
    const property = propertyOf(branches, name)
    return property ? below(name, optionalPlaces(property, item)) : []
  })
  return [...here, ...deeper]
}

function below(step: string | number, paths: Path[]): Path[] {
  return paths.map((path) => [step, ...path])
}

function takesNull(schema: TSchema): boolean {
  return JSON.stringify(schema).includes('"null"')
}

/** A copy with something else in one place; undefined leaves the place out. */
function withValue(value: object, [step, ...rest]: Path, put: unknown): unknown {
  const copy = Array.isArray(value) ? [...value] : { ...value }
  const at = copy as Record<string, unknown>
  if (step === undefined) return value
  const next = rest.length === 0 ? put : withValue(at[step] as object, rest, put)
  if (next === undefined) delete at[step]
  else at[step] = next
  return copy
}
