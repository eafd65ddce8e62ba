const SEPARATORS = /[\s.\-()]/g

/**
 * The digits to search for in stored numbers; undefined if the text is no part of a number. A number is stored as +33612…, so the
 * national 0 of `06 12`, or the 00 of `0033`, is removed.
 */
export function toSearchedDigits(text: string): string | undefined {
  const digits = text.replaceAll(SEPARATORS, '')
  return /^\+?\d+$/.test(digits) ? digits.replace(/^00?/, '') : undefined
}
