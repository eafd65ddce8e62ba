const NO_BREAK = '\u00a0'
const NARROW_NO_BREAK = '\u202f'

/**
 * A French text whose signs stay on the line of their word: a narrow space that does not break stands before ; ! and ?, a
 * wide one before : and inside of « ». Only plain spaces are replaced, so that 08:00 and addresses stay as they are.
 */
export function typeset(text: string): string {
  return text
    .replace(/ (?=[;!?])/g, NARROW_NO_BREAK)
    .replace(/ (?=:(?![\w/]))| (?=»)/g, NO_BREAK)
    .replace(/(?<=«) /g, NO_BREAK)
}

/** A date of Intl with the first day of a month as French writes it: "1er janvier", which Intl writes "1 janvier". */
export function withFirst(date: string, language: string): string {
  return language === 'fr' ? date.replace(/(?<!\d)1 (?=\p{L}{3})/u, '1er ') : date
}

/** `typeset` for all words of a feature: for texts, and for the texts that its functions give. */
export function typesetWords<W>(words: W): W {
  return typesetAny(words) as W
}

function typesetAny(value: unknown): unknown {
  if (typeof value === 'string') return typeset(value)
  if (typeof value === 'function') return (...given: unknown[]) => typesetAny(value(...given))
  if (Array.isArray(value)) return value.map(typesetAny)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  // An element of React is an object too.
  if ('$$typeof' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typesetAny(each)]))
}
