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
