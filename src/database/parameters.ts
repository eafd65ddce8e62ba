import type { Value } from './sql.ts'

/*
 * Values on their way into the database, as PostgreSQL's text for them. The server infers the type from the place where
 * the parameter stands.
 */

export type Parameter = string | Uint8Array | null

export class Json {
  readonly text: string

  constructor(value: unknown) {
    this.text = JSON.stringify(value)
  }
}

export function toParameter(value: Value): Parameter {
  if (typeof value === 'string' || value === null || value instanceof Uint8Array) return value
  return Array.isArray(value) ? toArrayText(value) : toText(value)
}

function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Json) return value.text
  throw new TypeError(`A statement was given ${value === undefined ? 'undefined' : 'an object'} as a value.`)
}

function toArrayText(values: readonly Value[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    text += toElement(values[index] as Value)
  }
  return `${text}}`
}

function toElement(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return toArrayText(value)
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`
  return quoteElement(toText(value))
}

const NEEDS_NO_QUOTES = /^[\w+:.-]+$/

function quoteElement(text: string): string {
  if (NEEDS_NO_QUOTES.test(text) && !(text.length === 4 && text.toUpperCase() === 'NULL')) return text
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
