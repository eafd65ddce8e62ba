import { nothingThere } from './error-answers.ts'

/** A place in a route such as `{id}` is an id, a number; these few are text. */
type TextParameter = 'number' | 'name' | 'code' | 'session' | 'agent' | 'month'
export const TEXT_PARAMETERS: ReadonlySet<string> = new Set([
  'number',
  'name',
  'code',
  'session',
  'agent',
  'month'
] satisfies TextParameter[])

export type PathParameters<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: K extends TextParameter ? string : number } & PathParameters<Rest>
  : unknown

/** An id that is no positive whole number does not exist: the answer is a 404. */
export function readParams(params: Record<string, string>): Record<string, string | number> {
  const read: Record<string, string | number> = {}
  for (const [name, text] of Object.entries(params)) {
    const isText = TEXT_PARAMETERS.has(name)
    if (isText ? text.includes('\0') : !/^[1-9]\d{0,14}$/.test(text)) {
      throw nothingThere()
    }
    read[name] = isText ? text : Number(text)
  }
  return read
}
