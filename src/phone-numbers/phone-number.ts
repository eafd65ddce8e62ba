import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString
} from 'libphonenumber-js/max'
import { plausibleCountries } from './plausible.ts'
import { parseQuickly } from './quick-path.ts'

/** The problem of a field that holds no phone number. */
export const NOT_A_NUMBER = 'must be a phone number, such as +33639980013'

/** A number that some phone can have. */
export interface PhoneNumber {
  /** With `+`, and digits only. */
  e164: string
  /** ISO 3166 code. */
  country: string
  /** A fixed line may be a contact, but cannot receive SMS. */
  canReceiveSms: boolean
}

/** No number is longer, with all separators. */
const LENGTH_MAX = 40

/**
 * Reads a number in any notation, a national one as of `country`; undefined if no phone has it. Plain numbers take a
 * quick path, and a text that can be no number is not tried; the library reads the rest. Tests prove that all agree.
 */
export function parsePhoneNumber(text: string, country: string): PhoneNumber | undefined {
  if (text.length > LENGTH_MAX || !NUMBER.test(text)) return undefined
  return parseQuickly(text, country) ?? parseWith(text, country, plausibleCountries)
}

/** The reference that the quick paths must agree with. */
export function parseThoroughly(text: string, country: string): PhoneNumber | undefined {
  return parseWith(text, country, (_text, countries) => countries)
}

function parseWith(
  text: string,
  country: string,
  narrow: (text: string, countries: string[]) => string[]
): PhoneNumber | undefined {
  const tidy = text.replaceAll(ODD_SPACES, ' ').trim().replace(INTERNATIONAL_ZEROS, '+')
  const fiction = FICTION.exec(tidy.replaceAll(SEPARATORS, ''))
  // The library does not know these numbers, since no person has them; in the sandbox they are French mobiles.
  if (fiction && (fiction[1]?.includes('33') || FRENCH.includes(country))) {
    return { e164: `+33${fiction[2]}`, country: 'FR', canReceiveSms: true }
  }
  for (const candidate of narrow(tidy, readAs(country))) {
    const parsed = parsePhoneNumberFromString(tidy, {
      ...(isSupportedCountry(candidate) && { defaultCountry: candidate as CountryCode }),
      extract: false // "call me at 06…" is no number.
    })
    if (parsed?.ext === undefined && parsed?.isValid()) {
      const type = parsed.getType()
      return {
        e164: parsed.number,
        country: parsed.country ?? '',
        canReceiveSms: type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE'
      }
    }
  }
  return undefined
}

/** The form of a possible number, in use or not: for the phone number of an account. */
export function toE164(text: string, country: string): string | undefined {
  const parsed = parsePhoneNumberFromString(text.slice(0, LENGTH_MAX + 1), {
    ...(isSupportedCountry(country) && { defaultCountry: country as CountryCode }),
    extract: false
  })
  return parsed?.isPossible() ? parsed.number : undefined
}

/** The calling code of a country; empty for a country without a numbering plan. */
export function countryPrefix(country: string): string {
  return isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : ''
}

/** Whether numbers without a country code can be read as of this country. */
export function hasNumberingPlan(country: string): boolean {
  return isSupportedCountry(country)
}

/** The characters of a number. The library would search any text for a number, which is slow. */
const NUMBER = /^[+＋\d\s.\-()/\u00a0\u00ad\u2000-\u2015\u202a-\u202f\u2060\u2066-\u2069\ufeff\uff10-\uff19]+$/
const SEPARATORS = /[\s.\-()]/g
/**
 * Invisible characters that come with a copy from a web page or a spreadsheet; or from the contacts of a phone, which
 * put marks of direction around a number.
 */
const ODD_SPACES = /[\u00a0\u00ad\u2000-\u200f\u202a-\u202f\u2060\u2066-\u2069\ufeff]/g
/** 00 leads abroad, wherever one is: also where people dial 011 for it. */
const INTERNATIONAL_ZEROS = /^\(?00(?=[\s.\-()]*[1-9])/

/**
 * +33 6 39 98 xx xx, the range that the French regulator keeps for films and books. Without any prefix too: a spreadsheet
 * takes the 0 away from what it thinks is a number.
 */
const FICTION = /^(\+330?|330?|0?)(63998\d{4})$/

/** These dial each other with a plain 0: 0692… is a mobile of La Réunion, also for someone in Paris. */
const FRENCH = ['FR', 'RE', 'YT', 'GP', 'MQ', 'GF', 'PM', 'BL', 'MF']

function readAs(country: string): string[] {
  return FRENCH.includes(country) ? [country, ...FRENCH.filter((other) => other !== country)] : [country]
}
