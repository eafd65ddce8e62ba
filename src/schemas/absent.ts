import type { TSchema } from 'typebox'
import { changedItems } from './changed-items.ts'
import { compiledOf } from './compiled.ts'
import {
  branchesOf,
  declaredNames,
  isUnknown,
  itemsOf,
  type JsonSchema,
  propertyOf,
  takesNames
} from './json-schema.ts'

/*
 * Properties that are present and count as absent. Clients in typed languages send null for each field that was not set, and
 * HTML forms send empty text. Both must do what the same request without that property does.
 */

/** In JSON, a null property is absent, at any depth; unless its schema allows null, because null means something there. */
export function withoutNulls(schema: TSchema, value: unknown): unknown {
  return without(schema, value, (item, property) => item === null && !takesNull(property))
}

/**
 * In a form, an empty field is absent. Two kinds stay, both only where empty text is a valid value: a required field, and
 * a field of a change, which the empty text clears. Variables of recipients stay as they are.
 */
export function withoutEmptyFields(schema: TSchema, value: unknown, { isChange }: { isChange: boolean }): unknown {
  return without(schema, value, (item, property, isRequired) => {
    if (isUnknown(property)) return false
    if (item !== '') return !isChange && isBlank(item)
    return !((isRequired || isChange) && compiledOf(property).Check(''))
  })
}

type IsAbsent = (item: unknown, property: TSchema, isRequired: boolean) => boolean

function without(schema: TSchema, value: unknown, isAbsent: IsAbsent): unknown {
  if (typeof value !== 'object' || value === null) return value
  const branches = branchesOf(schema)
  if (Array.isArray(value)) {
    const items = itemsOf(branches)
    return items ? changedItems(value, (item) => without(items, item, isAbsent)) : value
  }
  if (!branches.some((branch) => branch.properties !== undefined || takesNames(branch))) return value
  const required = new Set(branches.flatMap(({ required = [] }) => required))
  let copy: Record<string, unknown> | undefined
  for (const name of namesOf(branches, value)) {
    const property = propertyOf(branches, name)
    const given = (value as Record<string, unknown>)[name]
    if (!property) continue
    const isGone = isAbsent(given, property, required.has(name))
    const item = isGone ? undefined : without(property, given, isAbsent)
    if (!isGone && item === given) continue
    // Spread defines properties, so that a field named __proto__ stays a field.
    copy ??= { ...value }
    if (isGone) delete copy[name]
    else copy[name] = item
  }
  return copy ?? value
}

/** The given properties that the schema knows. Unknown ones are ignored, or are variables, which are read elsewhere. */
function namesOf(branches: readonly JsonSchema[], value: object): string[] {
  if (branches.some(takesNames)) return Object.keys(value)
  return declaredNames(branches).filter((name) => Object.hasOwn(value, name))
}

/** An object whose fields are all empty: `shorturl[mode]=&shorturl[url]=`. */
function isBlank(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.values(item).every((field) => field === '' || isBlank(field))
}

function takesNull(property: TSchema): boolean {
  return branchesOf(property).some(({ type }) => [type].flat().includes('null'))
}
