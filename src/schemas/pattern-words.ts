import type { TSchema } from 'typebox'

/*
 * A pattern is for programs. A schema with a pattern describes it in `x-words`, with an example: the words follow "must be".
 */

const known = new WeakMap<TSchema, ReadonlyMap<string, string>>()

/** The words of a pattern in a schema; undefined if it has none. */
export function patternWordsOf(schema: TSchema, pattern: string): string | undefined {
  let words = known.get(schema)
  if (!words) {
    words = new Map(
      listPatterns(schema).flatMap(({ pattern, words }) => (words === undefined ? [] : [[pattern, words]]))
    )
    known.set(schema, words)
  }
  return words.get(pattern)
}

/** All patterns of the values that a schema describes, and their words. */
export function listPatterns(schema: unknown): { pattern: string; words: string | undefined }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { pattern, 'x-words': words } = schema as { pattern?: unknown; 'x-words'?: string }
  const here = typeof pattern === 'string' ? [{ pattern, words }] : []
  return [...here, ...Object.values(schema).flatMap(listPatterns)]
}
