const SEPARATORS = /[\s.\-()]/g

/**
 * What to look for in stored numbers when somebody searches for `text`; undefined if it is no part of a number. A number is
 * stored as +33612…, so the national 0 of `06 12`, or the 00 of `0033`, goes.
 */
export function toSearchedDigits(text: string): string | undefined {
  const digits = text.replaceAll(SEPARATORS, '')
  return /^\+?\d+$/.test(digits) ? digits.replace(/^00?/, '') : undefined
}
