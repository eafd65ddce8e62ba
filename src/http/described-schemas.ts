import type { TSchema } from 'typebox'

/*
 * Schemas as the OpenAPI document shows them. Programs are generated from the document, so it says more than validation
 * needs: a name for each shape, the type of each value, and the property that tells the branches of a union apart.
 */

type Json = Record<string, unknown>

/**
 * Says in the document which properties an object needs besides the required ones: one schema of each list must hold.
 * Only the document has it. Validation finds the same in its own way, with sentences of its own (`missing`).
 */
export function needs(...lists: (readonly object[])[]): { 'x-needs': readonly (readonly object[])[] } {
  return { 'x-needs': lists }
}

/** Marks an object of `needs`: the whole has more properties than it names. Linters would refuse examples otherwise. */
export const PART = { unevaluatedProperties: true }

/** Objects that have one of these properties each, for `needs`. */
export function anyOfThese(properties: Readonly<Record<string, object>>): object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    type: 'object',
    required: [name],
    properties: { [name]: schema },
    ...PART
  }))
}

/** The same schema with a name in the document. */
export function named<S extends TSchema>(schema: S, name: string): S {
  return { ...schema, $id: name }
}

/** Marks a union of which only one branch ever holds. Only the document has it. */
export const EXCLUSIVE = { 'x-exclusive': true }

/** Moves named schemas to the components, which leaves a reference behind, and completes all of them for generators. */
export function toReference(schema: TSchema, schemas: Map<string, Json>): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const complete = withNeeds(withExclusion(withoutDefault(withType(value))))
    const { $id, ...rest } = withDiscriminator(complete, schemas)
    if (typeof $id !== 'string') return rest
    schemas.set($id, rest)
    return { $ref: `#/components/schemas/${$id}` }
  })
}

/** An enum or a constant lists its values; generators want their type too. */
export function withType(schema: Json): Json {
  if (schema.type !== undefined) return schema
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  const types = new Set(values.map(typeOf))
  return types.size === 1 && !types.has('object') ? { type: [...types][0], ...schema } : schema
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function withExclusion(schema: Json): Json {
  const { 'x-exclusive': isExclusive, anyOf, ...rest } = schema
  return isExclusive === true ? { ...rest, oneOf: anyOf } : schema
}

/** Beside the object, as parts of a whole: generators take alternatives in the object itself for other objects. */
function withNeeds(schema: Json): Json {
  const { 'x-needs': lists, ...rest } = schema
  if (!Array.isArray(lists)) return schema
  return { ...rest, allOf: lists.map((anyOf) => ({ anyOf })) }
}

/** Generators take a property with a default for one that is always there, also in a request. */
function withoutDefault(schema: Json): Json {
  const { default: value, ...rest } = schema
  if (value === undefined || typeof value === 'object' || schema.type === undefined) return schema
  return { ...rest, description: [rest.description, `Default: ${value}.`].filter(Boolean).join(' ') }
}

/** A union of named objects that each have a text of their own in the same property. */
function withDiscriminator(schema: Json, schemas: ReadonlyMap<string, Json>): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length < 2) return schema
  const branches = anyOf.map(({ $ref }: { $ref?: unknown }) => nameIn($ref))
  const named = branches.map((name) => schemas.get(name))
  for (const property of Object.keys((named[0]?.properties ?? {}) as Json)) {
    const texts = named.map((branch) => ((branch?.properties ?? {}) as Record<string, Json>)[property]?.const)
    if (texts.some((text) => typeof text !== 'string') || new Set(texts).size < texts.length) continue
    const mapping = Object.fromEntries(texts.map((text, index) => [text, `#/components/schemas/${branches[index]}`]))
    return { ...rest, oneOf: anyOf, discriminator: { propertyName: property, mapping } }
  }
  return schema
}

function nameIn(reference: unknown): string {
  return typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : ''
}
