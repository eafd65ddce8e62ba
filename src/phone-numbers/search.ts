/** All that a number may be written with: spaces, visible or not, dashes, and the (0) of +33 (0)6. */
const SEPARATORS = /\(0\)|[\s.\-()/\u00ad\u200b-\u2015\u202a-\u202e\u2060\u2066-\u2069]/g

/**
 * The digits to search for in stored numbers; undefined if the text is no part of a number. A number is stored as +33612…, so the
 * national 0 of `06 12`, or the 00 of `0033`, is removed.
 */
export function toSearchedDigits(text: string): string | undefined {
  const digits = text.replaceAll(SEPARATORS, '')
  return /^\+?\d+$/.test(digits) ? digits.replace(/^00?/, '') : undefined
}
