import { typesetWords } from './french/typography.ts'
import { localeFor } from './locale-dates.ts'
import { createStore } from './store.ts'

/*
 * French and English. Words stand beside the feature that shows them, both languages together, and TypeScript reports a missing
 * one. A library would need keys and files; there are two languages, and no outside translators.
 */

export type Language = 'en' | 'fr'

const KEY = 'chappe.language'
const language = createStore(firstLanguage())
document.documentElement.lang = language.read()

/** How dates and numbers are written: en-GB and en-US write dates differently, and fr-CA and fr-FR numbers. */
export const localeOf = (language: Language): string => localeFor(language, navigator.languages)

export function setLanguage(next: Language): void {
  localStorage.setItem(KEY, next)
  document.documentElement.lang = next
  language.change(next)
}

export const readLanguage = language.read
export const useLanguage = language.use

/** The words of a feature, in both languages: the French ones are of the same shape as the English ones. */
export function defineWords<W extends object>(en: W, fr: Widened<W>): Record<Language, Widened<W>> {
  return { en: en as Widened<W>, fr: typesetWords(fr) }
}

type Widened<W> = {
  [K in keyof W]: W[K] extends string ? string : W[K] extends (...given: never[]) => unknown ? W[K] : Widened<W[K]>
}

export function useWords<W>(words: Record<Language, W>): W {
  return words[useLanguage()]
}

/** "1 message", "2 messages"; in French, 0 is singular too. */
export function counted(language: Language, count: number, one: string, other: string): string {
  const number = new Intl.NumberFormat(localeOf(language)).format(count)
  return `${number} ${new Intl.PluralRules(language).select(count) === 'one' ? one : other}`
}

/** Month and weekday names begin in lower case in French: not at the head of a page. */
export function capitalised(text: string, language: Language): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
}

function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'en' || chosen === 'fr') return chosen
  return navigator.languages.find((tag) => /^(en|fr)\b/.test(tag))?.startsWith('fr') ? 'fr' : 'en'
}
