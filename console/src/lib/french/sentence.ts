import { typeset } from './typography.ts'

/** A sentence of the service, and the same in French: a text with `$1`, or a function of the groups. */
export type Sentence = readonly [pattern: RegExp, french: string | ((...groups: string[]) => string | undefined)]

/** The French of the first sentence that fits. */
export function translate(sentences: readonly Sentence[], english: string): string | undefined {
  for (const [pattern, french] of sentences) {
    const found = pattern.exec(english)
    if (!found) continue
    const told = typeof french === 'string' ? english.replace(pattern, french) : french(...found.slice(1))
    if (told !== undefined) return typeset(told)
  }
  return undefined
}
