import { type CountryCode, Metadata } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/metadata.max.json'

/*
 * The library takes up to 100 µs to find out that a text is no number, and a French account asks it once for each of nine
 * territories: a file of 300,000 wrong numbers took minutes. Here the patterns of the library's own data exclude countries within
 * a microsecond or two. A text that may be a number is left to the library.
 */

/** The pattern of the numbers of a country, without a prefix. */
interface Form {
  callingCode: string
  /** The prefix of a national number, which may be missing; undefined where it is more than some digits. */
  prefix: string | undefined
  /** The patterns of all countries with this calling code: the library tries each. */
  patterns: RegExp[]
  /** What a call abroad begins with there: a number of any country may follow. Mostly 00; in Cape Verde a 0 alone. */
  abroad: RegExp
}

/** The countries for which the library has to be asked; none if the text can be no number. */
export function plausibleCountries(text: string, countries: string[]): string[] {
  if (!PLAIN.test(text)) return countries
  const digits = text.replaceAll(NO_DIGITS, '')
  // A number with + names its country: the country of the account changes nothing.
  if (text.startsWith('+')) return isPlausibleAbroad(digits) ? countries.slice(0, 1) : []
  return countries.filter((country) => isPlausibleIn(country, digits))
}

/** Western digits and separators; a + only at the start. Any other text is left to the library. */
const PLAIN = /^\+?[\d\s.\-()/]+$/
const NO_DIGITS = /\D/g

function isPlausibleAbroad(digits: string): boolean {
  for (let length = 1; length <= 3; length++) {
    const callingCode = digits.slice(0, length)
    if (!CALLING_CODES.has(callingCode)) continue
    const form = formOf(callingCode)
    return form === undefined || matches(form, digits.slice(length))
  }
  return false
}

function isPlausibleIn(country: string, digits: string): boolean {
  const callingCode = CALLING_CODE_OF.get(country)
  const form = callingCode === undefined ? undefined : formOf(callingCode)
  if (form === undefined || form.abroad.test(digits)) return true
  return (
    matches(form, digits) ||
    (digits.startsWith(form.callingCode) && matches(form, digits.slice(form.callingCode.length)))
  )
}

function matches({ prefix, patterns }: Form, digits: string): boolean {
  if (prefix === undefined) return true
  const without = prefix !== '' && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits
  return patterns.some((pattern) => pattern.test(digits) || pattern.test(without))
}

const CALLING_CODES = new Set([...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)])
const CALLING_CODE_OF = new Map(
  Object.entries(metadata.country_calling_codes).flatMap(([code, countries]) =>
    countries.map((country) => [country as string, code] as const)
  )
)
const forms = new Map<string, Form | undefined>()

/** Undefined for numbers of no country, such as +800. Made on first use: there are two hundred. */
function formOf(callingCode: string): Form | undefined {
  if (!forms.has(callingCode)) forms.set(callingCode, readForm(callingCode))
  return forms.get(callingCode)
}

function readForm(callingCode: string): Form | undefined {
  const countries = (metadata.country_calling_codes as Record<string, string[]>)[callingCode]
  if (!countries) return undefined
  const plans = countries.map((country) => {
    const source = new Metadata(metadata)
    source.selectNumberingPlan(country as CountryCode)
    return source.numberingPlan as unknown as LibraryPlan
  })
  const prefixes = new Set(plans.map((plan) => plan.nationalPrefixForParsing() ?? ''))
  const [prefix = ''] = prefixes
  const isSimple =
    prefixes.size === 1 && /^\d*$/.test(prefix) && plans.every((plan) => !plan.nationalPrefixTransformRule())
  return {
    callingCode,
    prefix: isSimple ? prefix : undefined,
    patterns: plans.map(toPattern),
    // No calling code begins with 0, so the library takes no prefix away before one: 000000000 is not tried nine times.
    abroad: new RegExp(`^(?:${['00', ...plans.flatMap((plan) => plan.IDDPrefix() ?? [])].join('|')})(?!0)`)
  }
}

/** A number has the form of its country, and of one of its kinds. */
function toPattern(plan: LibraryPlan): RegExp {
  const kinds = KINDS.map((kind) => plan.type(kind)?.pattern()).filter(Boolean)
  const anyKind = kinds.length === 0 ? '.*' : kinds.map((pattern) => `(?:${pattern})`).join('|')
  return new RegExp(`^(?=(?:${plan.nationalNumberPattern()})$)(?:${anyKind})$`)
}

/** All countries of the library. */
const KINDS = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL'
]

/** The part of the library's numbering plan that its types leave out. */
interface LibraryPlan {
  nationalNumberPattern(): string
  IDDPrefix(): string | undefined
  nationalPrefixForParsing(): string | undefined
  nationalPrefixTransformRule(): string | undefined
  type(name: string): { pattern(): string } | undefined
}
