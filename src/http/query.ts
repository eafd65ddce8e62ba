import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { invalidInput } from '../errors.ts'
import { coerceText } from '../schemas/coerce.ts'
import { findUnstorable } from '../schemas/unstorable.ts'

/** Reads the query of a request as the schema declares it. */
export function queryReader(schema: TSchema): (request: FastifyRequest) => unknown {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> }
  const defaults: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties))
    if ('default' in property) defaults[name] = property.default
  return (request) => {
    const query = { ...defaults }
    if (!request.url.includes('?')) return query
    for (const [name, value] of readSpellings(request.query as object, properties)) query[name] = value
    const unstorable = request.url.includes('%00') ? findUnstorable(schema, query) : undefined
    if (unstorable) throw invalidInput([unstorable])
    return coerceText(schema, query)
  }
}

/**
 * Parameters by their declared names. Other spellings count too (`resumebefore`, `resume_before`, `resumeBefore[]`,
 * `resumeBefore[0]`): an ignored one would send a message that was only to be previewed. Two spellings of one parameter
 * are refused, since they could contradict each other.
 */
function* readSpellings(given: object, properties: object): Iterable<[string, unknown]> {
  const declared = Object.keys(properties)
  const seen = new Set<string>()
  for (const [spelling, value] of Object.entries(given)) {
    const name = declared.find((name) => name === spelling || plain(name) === plain(spelling))
    if (name === undefined) continue
    if (seen.has(name)) throw invalidInput([{ path: name, message: 'must be given once' }])
    seen.add(name)
    yield [name, value]
  }
}

/** The letters and digits of a name in lower case, without brackets. */
export function plain(spelling: string): string {
  return spelling
    .toLowerCase()
    .replace(/\[.*$/, '')
    .replaceAll(/[^a-z0-9]/g, '')
}

/** The first value of each parameter, as it came. */
export function firstValues(query: Record<string, string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0] ?? '']))
}
