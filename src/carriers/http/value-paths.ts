/*
 * Where a value stands in JSON or in a form: `messages[0].message-id`, `results[*].id` for the id of each result,
 * `results[-1].id` for that of the last one. A key is any text without dots and brackets.
 */

type Step = string | number | 'each'
export type ValuePath = readonly Step[]

const EACH = '*'
const KEY = /^[^.[\]]+/
const INDEX = /^\[(\*|-?\d{1,6})\]/

/** Undefined when it is no path. */
export function parsePath(text: string): ValuePath | undefined {
  const steps: { step: Step; isIndex: boolean }[] = []
  let rest = text
  while (rest !== '') {
    const index = INDEX.exec(rest)
    const key = index ? null : KEY.exec(rest)
    const found = index ?? key
    if (!found) return undefined
    steps.push(index ? { step: toIndex(index[1] ?? ''), isIndex: true } : { step: found[0], isIndex: false })
    rest = rest.slice(found[0].length)
    if (rest.startsWith('.')) {
      rest = rest.slice(1)
      if (rest === '' || rest.startsWith('[')) return undefined
    } else if (rest !== '' && !rest.startsWith('[')) return undefined
  }
  return steps.length === 0 ? undefined : steps.map(({ step, isIndex }) => (isIndex ? step : `.${String(step)}`))
}

function toIndex(text: string): Step {
  return text === EACH ? 'each' : Number(text)
}

/** All values at a path, in their order. */
export function valuesAt(root: unknown, path: ValuePath): unknown[] {
  return path.reduce<unknown[]>((found, step) => found.flatMap((value) => next(value, step)), [root])
}

function next(value: unknown, step: Step): unknown[] {
  if (step === 'each') return Array.isArray(value) ? value : []
  if (typeof step === 'number') return Array.isArray(value) ? present(value.at(step)) : []
  const key = step.slice(1)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return []
  return present((value as Record<string, unknown>)[key])
}

function present(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value]
}

/** The first value at a path as a text that can be stored; empty when there is none. */
export function textAtPath(root: unknown, path: ValuePath | undefined): string {
  return path === undefined ? '' : toText(valuesAt(root, path)[0])
}

/** Without NUL and halves of surrogate pairs, which PostgreSQL does not store. Objects and lists are no text. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : ''
}

/** Its first characters; half of a surrogate pair at the end can't be stored in JSON. */
export function shorten(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).toWellFormed()
}

/** Longer numbers are rounded by JSON.parse; ids of messages are such numbers. */
const LONG_NUMBER = /\d{16}/

/** The value of a JSON text, in which numbers that a double can't hold are texts. Throws as JSON.parse does. */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? context?.source
      : value
  )
}
