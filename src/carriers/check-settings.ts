import type { Static, TObject, TSchema } from 'typebox'
import { type Validator, validator } from '../schemas/validate.ts'
import { type JsonMember, type JsonNode, memberOf, pathTo, toValue } from './json-places.ts'
import { type Mistakes, shown, suggestion } from './mistakes.ts'

/** A place in the carriers file, and the list of its mistakes. */
export interface Reading {
  node: JsonNode
  path: string
  mistakes: Mistakes
}

/**
 * Reads an object by its schema, with defaults for absent keys, and adds every mistake with its line. Each property is
 * checked alone, so that ten thousand bad numbers hide no other mistake. Wrong properties are missing from the answer:
 * it is whole only when there was no mistake.
 */
export function readSettings<S extends TObject>(schema: S, { node, path, mistakes }: Reading): Partial<Static<S>> {
  const settings: Record<string, unknown> = {}
  if (node.kind !== 'object') {
    mistakes.add(node, path, 'must be an object')
    return settings as Partial<Static<S>>
  }
  const { properties, required = [] } = schema as ObjectSchema
  const known = Object.keys(properties)
  for (const [key, member] of node.members) {
    if (!known.includes(key)) {
      mistakes.add(member.key, pathTo(path, key), () => `is not a known key${suggestion(key, known)}`)
    }
  }
  for (const [key, property] of Object.entries(properties)) {
    const member = node.members.get(key)
    if (member) {
      const value = readProperty(
        property,
        { node: member.node, path: pathTo(path, key), mistakes },
        mayBeQuoted(property, member)
      )
      if (value !== undefined) settings[key] = value
    } else if ('default' in property) settings[key] = structuredClone(property.default)
    else if (required.includes(key)) mistakes.add(node, pathTo(path, key), 'is missing')
  }
  return settings as Partial<Static<S>>
}

interface ObjectSchema {
  properties: Record<
    string,
    TSchema & {
      anyOf?: (TSchema & { type?: string })[]
      properties?: object
      default?: unknown
      'x-secret'?: boolean
    }
  >
  required?: string[]
}

type Property = ObjectSchema['properties'][string]

/** The value, or undefined when it is wrong. */
function readProperty(schema: Property, reading: Reading, mayQuote: boolean): unknown {
  const { node, path, mistakes } = reading
  // Of a union, as of `tls`, only the branch that the kind of the value chooses has something useful to say.
  const branch = schema.anyOf?.find(({ type }) => type === 'object')
  const object = branch ?? (schema.properties && schema)
  if (object && node.kind === 'object') return readSettings(object as unknown as TObject, reading)
  const validation = validate(schema, toValue(node))
  if ('value' in validation) return validation.value
  if (branch) {
    mistakes.add(node, path, `must be true, false or an object${quoted(node, mayQuote)}`)
    return undefined
  }
  for (const problem of validation.problems) {
    const place = placeAt(node, problem.path)
    const isBelow = problem.path === '' || problem.path.startsWith('[')
    mistakes.add(place, `${path}${isBelow ? '' : '.'}${problem.path}`, problem.message + quoted(place, mayQuote))
  }
  return undefined
}

const validators = new WeakMap<TSchema, Validator<unknown>>()

function validate(schema: TSchema, value: unknown): ReturnType<Validator<unknown>> {
  const check = validators.get(schema) ?? validator(schema)
  validators.set(schema, check)
  return check(value)
}

/** The node that a problem is about: that at `[3].name`, or the last one on the way there. */
function placeAt(node: JsonNode, path: string): JsonNode {
  let place = node
  for (const step of path.split(/[.[\]]+/)) {
    const next = place.kind === 'array' ? place.items[Number(step)] : memberOf(place, step)
    if (step !== '' && next) place = next
  }
  return place
}

/** A secret is never repeated, and neither is a value that may hold one: an address with a password in it. */
function mayBeQuoted(property: Property, { node }: JsonMember): boolean {
  return (
    !property['x-secret'] && !(node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('://'))
  )
}

/** Objects and lists are never quoted: they are long, and may hold secrets. */
function quoted(node: JsonNode, mayQuote: boolean): string {
  return mayQuote && node.kind === 'scalar' ? `; it is ${shown(node.value)}` : ''
}
