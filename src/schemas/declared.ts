import type { TSchema } from 'typebox'
import { changedItems } from './changed-items.ts'
import { branchesOf, declaredNames, itemsOf, propertyOf, takesNames } from './json-schema.ts'

/**
 * Removes properties that a schema does not declare, at any depth: a handler that passes its body on must not let a caller set
 * more, and a request that is kept must not hold them. An object that may have properties of any name stays whole.
 */
export function onlyDeclared(value: unknown, schema: TSchema): unknown {
  if (typeof value !== 'object' || value === null) return value
  const branches = branchesOf(schema)
  if (Array.isArray(value)) {
    const items = itemsOf(branches)
    return items ? changedItems(value, (item) => onlyDeclared(item, items)) : value
  }
  const isOpen = branches.some((branch) => branch.additionalProperties === true || takesNames(branch))
  if (isOpen || !branches.some(({ properties }) => properties)) return value
  const names = declaredNames(branches)
  const given = value as Record<string, unknown>
  const all = Object.keys(given)
  const kept = all.filter((name) => names.includes(name))
  let copy = kept.length < all.length ? Object.fromEntries(kept.map((name) => [name, given[name]])) : undefined
  for (const name of kept) {
    const property = propertyOf(branches, name)
    const item = property && onlyDeclared(given[name], property)
    if (item === given[name]) continue
    copy ??= { ...given }
    copy[name] = item
  }
  return copy ?? value
}
