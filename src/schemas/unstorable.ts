import type { TSchema } from 'typebox'
import type { InputProblem } from '../errors.ts'
import {
  branchesOf,
  declaredNames,
  isUnknown,
  itemsOf,
  type JsonSchema,
  propertyOf,
  takesNames
} from './json-schema.ts'

/** PostgreSQL's text cannot hold U+0000 nor half a character. Properties outside of the schema are not stored, so not checked. */
export function findUnstorable(schema: TSchema, value: unknown): InputProblem | undefined {
  const found = locate(schema, value)
  return found && { path: toPath(found.steps), message: found.message }
}

interface Located {
  steps: (string | number)[]
  message: string
}

/** The place is put together on the way back: a body may have four million values, and nearly always all can be stored. */
function locate(schema: TSchema, value: unknown): Located | undefined {
  if (typeof value === 'string') return locateIn(value)
  if (typeof value !== 'object' || value === null) return undefined
  const branches = branchesOf(schema)
  return Array.isArray(value) ? locateAmong(branches, value) : locateBelow(branches, value as Record<string, unknown>)
}

function locateIn(text: string): Located | undefined {
  const problem = problemOfText(text, '')
  return problem && { steps: [], message: problem.message }
}

function locateAmong(branches: readonly JsonSchema[], list: readonly unknown[]): Located | undefined {
  const items = itemsOf(branches)
  if (!items || isUnknown(items)) return undefined
  for (let index = 0; index < list.length; index++) {
    const found = locate(items, list[index])
    if (found) return { ...found, steps: [index, ...found.steps] }
  }
  return undefined
}

function locateBelow(branches: readonly JsonSchema[], object: Record<string, unknown>): Located | undefined {
  const names = branches.some(takesNames) ? Object.keys(object) : declaredNames(branches)
  for (const name of names) {
    const property = Object.hasOwn(object, name) ? propertyOf(branches, name) : undefined
    if (!property || isUnknown(property)) continue
    const wrongName = locateIn(name)
    if (wrongName) return wrongName
    const found = locate(property, object[name])
    if (found) return { ...found, steps: [name, ...found.steps] }
  }
  return undefined
}

/** `people[1].tel` */
function toPath(steps: readonly (string | number)[]): string {
  let path = ''
  for (const step of steps) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`
  return path
}

/** The reason why a text cannot be stored, if there is one. */
export function problemOfText(text: string, path: string): InputProblem | undefined {
  if (text.includes('\0')) return { path, message: 'must not contain the character U+0000' }
  return text.isWellFormed() ? undefined : { path, message: 'must not contain half a character (a lone surrogate)' }
}
