import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'

/** The E.164 form of a number in any notation, or undefined if no phone could have it. */
export function parsePhoneNumber(text: string, country: string): string | undefined {
  const parsed = parsePhoneNumberFromString(text, {
    ...(isSupportedCountry(country) && { defaultCountry: country as CountryCode }),
    // "call me at 06…" is no number.
    extract: false
  })
  return parsed?.isPossible() ? parsed.number : undefined
}

/** Whether numbers without a country code can be read as of this country. */
export function hasNumberingPlan(country: string): boolean {
  return isSupportedCountry(country)
}
