import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'

/** The calling codes of all countries; none is the beginning of another. */
const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)))
const DIGITS_MAX = 3

/** The calling code that digits begin with; undefined when they are no code, or only the beginning of one. */
export function callingCodeOf(digits: string): string | undefined {
  for (let length = 1; length <= DIGITS_MAX; length++) {
    const code = digits.slice(0, length)
    if (CALLING_CODES.has(code)) return code
  }
  return undefined
}
