import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Errors } from 'typebox/value'
import { compiledOf } from './compiled.ts'

/*
 * Searches for problems only in values that have some. The library examines everything, which takes seconds for a body of 100,000
 * recipients with one wrong field beside them. Of a union it reports the problems of each branch, most of them noise: for
 * `{"type": "url", "title": "Shop"}` the problem is the missing url, and not what a location lacks.
 */

/** The problems of a value; of each union only those of its nearest branch. Stops once there are `max` or more. */
export function findErrors(schema: TSchema, value: unknown, max: number, path = ''): TLocalizedValidationError[] {
  if (compiledOf(schema).Check(value)) return []
  const branches = branchesOf(schema)
  if (branches) return errorsOfUnion(branches, value, max, path)
  const meant = branchOfType(schema, value)
  if (meant) return findErrors(meant, value, max, path)
  if (Array.isArray(value)) return errorsOfArray(schema, value, max, path)
  if (isObject(value)) return errorsOfObject(schema, value, max, path)
  return errorsAt(schema, value, path)
}

interface JsonSchema {
  type?: string
  items?: TSchema
  properties?: Record<string, TSchema>
  required?: string[]
  anyOf?: JsonSchema[]
  const?: unknown
}

function errorsAt(schema: JsonSchema, value: unknown, path: string): TLocalizedValidationError[] {
  return Errors(schema as TSchema, value).map((error) => ({ ...error, instancePath: path + error.instancePath }))
}

function errorsOfArray(schema: TSchema, value: unknown[], max: number, path: string): TLocalizedValidationError[] {
  const { items, ...itself } = schema as JsonSchema
  const errorsOfItself = errorsAt(itself, value, path)
  const errors: TLocalizedValidationError[] = []
  for (const [index, item] of value.entries()) {
    if (errors.length + errorsOfItself.length >= max || !items) break
    errors.push(...findErrors(items, item, max - errors.length, `${path}/${index}`))
  }
  return [...errors.slice(0, max - errorsOfItself.length), ...errorsOfItself]
}

function errorsOfObject(
  schema: TSchema,
  value: Record<string, unknown>,
  max: number,
  path: string
): TLocalizedValidationError[] {
  const { properties = {}, ...itself } = schema as JsonSchema
  const anything = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
  const errors = errorsAt({ ...itself, properties: anything }, value, path)
  for (const [name, property] of Object.entries(properties)) {
    if (errors.length >= max) break
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue
    errors.push(...findErrors(property, value[name], max - errors.length, `${path}/${name}`))
  }
  return errors
}

/** The branches of a union of objects, and of nothing else but null. */
function branchesOf(schema: TSchema): JsonSchema[] | undefined {
  const branches = (schema as JsonSchema).anyOf?.filter(({ type }) => type !== 'null')
  return branches?.every(({ type }) => type === 'object') ? branches : undefined
}

/** The branch of a union that has the type of the value. Of an id as a number or as text, `"abc"` means the text. */
function branchOfType(schema: TSchema, value: unknown): TSchema | undefined {
  const meant = (schema as JsonSchema).anyOf?.filter(({ type }) => type !== undefined && isOfType(value, type))
  return meant?.length === 1 ? (meant[0] as TSchema) : undefined
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}

function errorsOfUnion(branches: JsonSchema[], value: unknown, max: number, path: string): TLocalizedValidationError[] {
  if (!isObject(value)) return errorsAt({ type: 'object' }, value, path)
  const kind = discriminatorOf(branches)
  if (kind === undefined) return findErrors(nearest(branches, value) as TSchema, value, max, path)
  const branch = branches.find(({ properties }) => constantOf(properties?.[kind]) === value[kind])
  if (branch) return findErrors(branch as TSchema, value, max, path)
  const kinds = branches.map(({ properties }) => constantOf(properties?.[kind]))
  return errorsAt({ required: [kind], properties: { [kind]: { enum: kinds } as TSchema } }, value, path)
}

/** The property that tells the branches apart: each has a constant of its own there. */
function discriminatorOf(branches: JsonSchema[]): string | undefined {
  const [first] = branches
  return Object.keys(first?.properties ?? {}).find((name) => {
    const constants = new Set(branches.map(({ properties }) => constantOf(properties?.[name])))
    return constants.size === branches.length && !constants.has(undefined)
  })
}

function constantOf(schema: JsonSchema | undefined): unknown {
  return schema?.const
}

/** The branch that lacks least of its properties and, among those, knows most of the value's. */
function nearest(branches: JsonSchema[], value: object): JsonSchema {
  const nearness = ({ required = [], properties = {} }: JsonSchema) => ({
    missing: required.filter((name) => !Object.hasOwn(value, name)).length,
    known: Object.keys(value).filter((name) => Object.hasOwn(properties, name)).length
  })
  return branches.reduce((best, branch) => {
    const [a, b] = [nearness(best), nearness(branch)]
    return b.missing < a.missing || (b.missing === a.missing && b.known > a.known) ? branch : best
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
