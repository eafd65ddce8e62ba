/*
 * Places for values in the texts of a request: `{{to}}`, `{{secret:token}}`, `{{unicode:unicode|text}}`. A text is
 * taken apart once, when the carrier starts. Each value is escaped for the place where it stands.
 */

export type PlaceValue = string | number | boolean | undefined

export interface Place {
  name: string
  /** What follows the colon. */
  argument: string | undefined
}

export type Template = readonly (string | Place)[]

/** The value of a place; undefined when the message has none. */
export type LookUp = (place: Place) => PlaceValue

const PLACE = /\{\{([^{}]*)\}\}/g
const NAMED = /^([a-z_]+)(?::([^{}]+))?$/

/** Undefined when a place is not closed or has no name. */
export function parseTemplate(text: string): Template | undefined {
  const parts: (string | Place)[] = []
  let end = 0
  for (const found of text.matchAll(PLACE)) {
    const [, name, argument] = NAMED.exec((found[1] ?? '').trim()) ?? []
    if (name === undefined) return undefined
    if (found.index > end) parts.push(text.slice(end, found.index))
    parts.push({ name, argument })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  const isClosed = parts.every((part) => typeof part !== 'string' || !(part.includes('{{') || part.includes('}}')))
  return isClosed ? parts : undefined
}

export function placesOf(template: Template): Place[] {
  return template.filter((part) => typeof part !== 'string')
}

/** The text with its values, each escaped. */
export function fill(template: Template, lookUp: LookUp, escaped: (value: string) => string = same): string {
  let text = ''
  for (const part of template) text += typeof part === 'string' ? part : escaped(String(lookUp(part) ?? ''))
  return text
}

/** The value of a template that is one place alone, with its type; else its text. Undefined is left out. */
export function fillValue(template: Template, lookUp: LookUp): PlaceValue {
  const [only, ...others] = template
  return only !== undefined && others.length === 0 && typeof only !== 'string' ? lookUp(only) : fill(template, lookUp)
}

function same(value: string): string {
  return value
}

/** `{{unicode:yes|no}}`; with one word alone, the place has no value when the answer is no. */
export function choose(isSo: boolean, argument: string | undefined): PlaceValue {
  if (argument === undefined) return isSo
  const [yes, no] = argument.split('|')
  return isSo ? yes : no
}

/** For an address. A text with half a surrogate pair could not be encoded. */
export function escapeForUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** For a header: what could end the header, or is no ASCII, is left out. */
export function escapeForHeader(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '')
}
