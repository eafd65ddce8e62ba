import { strict as assert } from 'node:assert'
import { getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/max'

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

/** Several countries share these, and most of them have area codes of their own. */
const SHARED_CODES = ['1', '7']
/** Of +1: what is longer leads to a service of a country, and not to a phone. */
const AREA_DIGITS_MAX = 3

/** By country, all beginnings of its numbers: 1246 for Barbados, 1658 and 1876 for Jamaica. */
const AREAS: readonly string[][] = getCountries().flatMap((country) => {
  const code = getCountryCallingCode(country)
  if (!SHARED_CODES.includes(code)) return []
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  // The United States and Canada have none: their numbers are all others of +1.
  const pattern = metadata.numberingPlan?.leadingDigits()
  const areas = pattern ? expand(pattern).filter(({ length }) => length <= AREA_DIGITS_MAX) : []
  return areas.length === 0 ? [] : [areas.map((digits) => `${code}${digits}`)]
})

/**
 * The beginnings of all numbers of the country that digits lead to. A country is a calling code, but for the countries of +1 and
 * +7 that have area codes of their own. None for digits without a calling code.
 */
export function countryPrefixesOf(digits: string): readonly string[] {
  const areas = AREAS.find((areas) => areas.some((area) => digits.startsWith(area)))
  if (areas) return areas
  const code = callingCodeOf(digits)
  return code === undefined ? [] : [code]
}

/** All texts that a pattern of alternatives, digits and classes of digits matches, such as `658|8[024]9`. */
function expand(pattern: string): string[] {
  assert(/^(?:[0-9|]|\[[0-9]+\])+$/.test(pattern), `the pattern ${pattern} has another form`)
  return pattern.split('|').flatMap((alternative) => {
    const parts = alternative.match(/\[[0-9]+\]|[0-9]/g) ?? []
    return parts.reduce<string[]>(
      (texts, part) => texts.flatMap((text) => [...part.replaceAll(/[[\]]/g, '')].map((digit) => text + digit)),
      ['']
    )
  })
}
