import type { TSchema } from 'typebox'
import type { InputProblem } from '../errors.ts'
import { branchesOf, isUnknown, propertyOf } from './json-schema.ts'

/** PostgreSQL's text cannot hold U+0000 nor half a character. Properties outside of the schema are not stored, so not checked. */
export function findUnstorable(schema: TSchema, value: unknown, path = ''): InputProblem | undefined {
  if (typeof value === 'string') return problemOfText(value, path)
  if (typeof value !== 'object' || value === null) return undefined
  const branches = branchesOf(schema)
  const items = branches.find(({ items }) => items)?.items
  for (const [name, item] of Object.entries(value)) {
    const isItem = Array.isArray(value)
    const property = isItem ? items : propertyOf(branches, name)
    if (!property || isUnknown(property)) continue
    const itemPath = isItem ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    const problem = (isItem ? undefined : problemOfText(name, path)) ?? findUnstorable(property, item, itemPath)
    if (problem) return problem
  }
  return undefined
}

/** The reason why a text cannot be stored, if there is one. */
export function problemOfText(text: string, path: string): InputProblem | undefined {
  if (text.includes('\0')) return { path, message: 'must not contain the character U+0000' }
  return text.isWellFormed() ? undefined : { path, message: 'must not contain half a character (a lone surrogate)' }
}
