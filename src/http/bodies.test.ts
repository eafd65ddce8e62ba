import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { listAllOperations } from '../../scripts/all-operations.ts'
import { withoutNulls } from '../schemas/absent.ts'
import { branchesOf, type JsonSchema, propertyOf } from '../schemas/json-schema.ts'
import { validator } from '../schemas/validate.ts'

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

test('in every operation, null for a required property says that it is missing', () => {
  for (const { id, schema, example } of bodies) {
    for (const name of (schema as JsonSchema).required ?? []) {
      const result = validator(schema)(withoutNulls(schema, withValue(example, [name], null)))
      assert.deepEqual(result, { problems: [{ path: name, message: 'is missing' }] }, id)
    }
  }
})

/** Where a body may leave something out: at its top, and in whatever objects it holds. Null means something to a few. */
function optionalPlaces(schema: TSchema, value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const branches = branchesOf(schema)
  const items = branches.find(({ items }) => items)?.items
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
