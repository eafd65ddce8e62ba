import type { TSchema } from 'typebox'
import { branchesOf, itemsOf, propertyOf } from './json-schema.ts'

/**
 * Turns text into the numbers and booleans that a schema asks for. Only for sources of text: forms, multipart parts, queries and
 * the environment. JSON has types of its own and stays as it is. A text that does not fit its type stays too, so that validation
 * can report it.
 */
export function coerceText(schema: TSchema, value: unknown): unknown {
  const branches = branchesOf(schema)
  if (typeof value === 'string') return coerceString(branches.map(({ type }) => type ?? []).flat(2), value)
  const items = itemsOf(branches)
  if (Array.isArray(value)) return items ? value.map((item) => coerceText(items, item)) : value
  if (typeof value !== 'object' || value === null) return value
  const coerced = Object.entries(value).map(([name, item]) => {
    const property = propertyOf(branches, name)
    return [name, property ? coerceText(property, item) : item] as const
  })
  // Unlike an assignment, fromEntries makes a field of a name such as __proto__.
  return Object.fromEntries(coerced)
}

const WHOLE = /^-?\d{1,16}$/
const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false]
])

function coerceString(types: readonly string[], text: string): unknown {
  if (types.length === 0 || types.includes('string')) return text
  if (types.includes('integer') && WHOLE.test(text)) return Number(text)
  if (types.includes('number') && DECIMAL.test(text)) return Number(text)
  if (types.includes('boolean')) return BOOLEANS.get(text.toLowerCase()) ?? text
  return text
}
