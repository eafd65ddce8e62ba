import type { TSchema } from 'typebox'

/**
 * Turns text into the numbers and booleans that a schema asks for. Only for sources that know nothing but text: forms,
 * multipart parts, queries and the environment. JSON has types of its own and is taken at its word.
 * What does not read as the type asked for is left as it is, so that validation can name it.
 */
export function coerceText(schema: TSchema, value: unknown): unknown {
  const { type, items, properties, anyOf } = schema as JsonSchema
  if (typeof value === 'string') return coerceString(type, anyOf, value)
  if (Array.isArray(value)) return items ? value.map((item) => coerceText(items, item)) : value
  if (typeof value === 'object' && value !== null && (properties || anyOf)) {
    // In a union of objects, a property is what the first of them that has it says.
    const branches = [schema as JsonSchema, ...((anyOf ?? []) as JsonSchema[])]
    const coerced: Record<string, unknown> = {}
    for (const [name, item] of Object.entries(value)) {
      const property = branches.find(({ properties = {} }) => Object.hasOwn(properties, name))?.properties?.[name]
      coerced[name] = property ? coerceText(property, item) : item
    }
    return coerced
  }
  return value
}

interface JsonSchema {
  type?: string | string[]
  items?: TSchema
  properties?: Record<string, TSchema>
  anyOf?: TSchema[]
}

const WHOLE = /^-?\d{1,16}$/
const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false]
])

function coerceString(type: string | string[] | undefined, anyOf: TSchema[] | undefined, text: string): unknown {
  const types = [type ?? (anyOf ?? []).map((option) => (option as JsonSchema).type ?? [])].flat(2)
  if (types.includes('string')) return text
  if (types.includes('integer') && WHOLE.test(text)) return Number(text)
  if (types.includes('number') && DECIMAL.test(text)) return Number(text)
  if (types.includes('boolean')) return BOOLEANS.get(text.toLowerCase()) ?? text
  return text
}
