import type { TSchema } from 'typebox'

/** The keywords of a schema that decide how a body is read. */
export interface JsonSchema {
  type?: string | string[]
  items?: TSchema
  properties?: Record<string, TSchema>
  required?: string[]
  additionalProperties?: TSchema | boolean
  patternProperties?: Record<string, TSchema>
  anyOf?: TSchema[]
  enum?: unknown[]
  const?: unknown
}

/** The schema itself and, of a union, its branches. Made once for each schema: it is asked for each of 100,000 items. */
export function branchesOf(schema: TSchema): readonly JsonSchema[] {
  let branches = known.get(schema)
  if (!branches) {
    const { anyOf = [] } = schema as JsonSchema
    branches = [schema as JsonSchema, ...anyOf.flatMap(branchesOf)]
    known.set(schema, branches)
  }
  return branches
}

const known = new WeakMap<TSchema, readonly JsonSchema[]>()

/** The names of the properties that a schema and its branches list. Made once, too. */
export function declaredNames(branches: readonly JsonSchema[]): readonly string[] {
  let names = declared.get(branches)
  if (!names) {
    names = [...new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)))]
    declared.set(branches, names)
  }
  return names
}

const declared = new WeakMap<readonly JsonSchema[], readonly string[]>()

/** The schema of the items of a list. */
export function itemsOf(branches: readonly JsonSchema[]): TSchema | undefined {
  return branches.find(({ items }) => items)?.items
}

/** Whether a schema knows properties whose names it does not list. */
export function takesNames({ additionalProperties, patternProperties }: JsonSchema): boolean {
  return typeof additionalProperties === 'object' || patternProperties !== undefined
}

/** The schema of a property; in a union of objects, that of the first branch with the property. */
export function propertyOf(branches: readonly JsonSchema[], name: string): TSchema | undefined {
  const owner = branches.find(({ properties = {} }) => Object.hasOwn(properties, name))
  if (owner) return owner.properties?.[name]
  for (const { additionalProperties, patternProperties } of branches) {
    if (typeof additionalProperties === 'object') return additionalProperties
    const [pattern] = Object.values(patternProperties ?? {})
    if (pattern) return pattern
  }
  return undefined
}

/** Whether a schema allows any value, so that nothing is known of its values. */
export function isUnknown(schema: TSchema): boolean {
  const { type, anyOf, enum: values, const: constant } = schema as JsonSchema
  return type === undefined && anyOf === undefined && values === undefined && constant === undefined
}
