import { type CountryCode, Metadata } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/metadata.max.json'
import type { PhoneNumber } from './phone-number.ts'

/*
 * The library takes tens of microseconds for a number; a list has a million. Here the patterns of its own data are applied
 * directly to the plain forms: international with + or 00, and French national. A text that is not plain, does not match, or has a
 * calling code that several countries share is undefined: then the library decides.
 */

/** One country that has its calling code to itself. */
interface Plan {
  country: string
  callingCode: string
  general: RegExp
  lengths: number[]
  fixed: Kind | undefined
  mobile: Kind | undefined
  /** Fixed and mobile numbers have the same pattern. */
  isMixed: boolean
  /** The prefix of a national number; the library may remove it. */
  nationalPrefix: RegExp | undefined
}

interface Kind {
  pattern: RegExp
  lengths: number[] | undefined
}

const PLAIN = /^(?:\+|00)([1-9]\d{6,14})$/
const FRENCH_NATIONAL = /^0([1-9]\d{8})$/
const FICTION = /^63998/
const SEPARATOR = /[ .\-()]/
const SEPARATORS = new RegExp(SEPARATOR, 'g')

export function parseQuickly(text: string, country: string): PhoneNumber | undefined {
  const digits = SEPARATOR.test(text) ? text.replaceAll(SEPARATORS, '') : text
  const international = PLAIN.exec(digits)?.[1]
  if (international) return parseInternational(international)
  if (country !== 'FR') return undefined
  const national = FRENCH_NATIONAL.exec(digits)?.[1]
  return national && FRANCE ? toPhoneNumber(FRANCE, national) : undefined
}

function parseInternational(digits: string): PhoneNumber | undefined {
  let callingCode = 0
  for (let length = 1; length <= 3; length++) {
    callingCode = 10 * callingCode + Number(digits[length - 1])
    const plan = PLANS[callingCode]
    if (!plan) continue
    const national = digits.slice(length)
    return plan.nationalPrefix?.test(national) ? undefined : toPhoneNumber(plan, national)
  }
  return undefined
}

function toPhoneNumber(plan: Plan, national: string): PhoneNumber | undefined {
  const e164 = `+${plan.callingCode}${national}`
  if (plan === FRANCE && FICTION.test(national) && national.length === 9) {
    return { e164, country: 'FR', canReceiveSms: true }
  }
  if (!plan.lengths.includes(national.length) || !plan.general.test(national)) return undefined
  const isMobile = matches(plan.mobile, national)
  if (isMobile) return { e164, country: plan.country, canReceiveSms: true }
  if (matches(plan.fixed, national)) return { e164, country: plan.country, canReceiveSms: plan.isMixed }
  return undefined // A rarer kind: the library decides.
}

function matches(kind: Kind | undefined, national: string): boolean {
  return kind !== undefined && (kind.lengths?.includes(national.length) ?? true) && kind.pattern.test(national)
}

const PLANS = readPlans()
const FRANCE = PLANS[33]

/** By calling code. */
function readPlans(): (Plan | undefined)[] {
  const source = new Metadata(metadata)
  const plans = Array.from<Plan | undefined>({ length: 1_000 })
  for (const [callingCode, countries] of Object.entries(metadata.country_calling_codes)) {
    const [country] = countries
    if (!country || countries.length > 1) continue
    source.selectNumberingPlan(country as CountryCode)
    const plan = source.numberingPlan as unknown as LibraryPlan
    const mobile = plan.type('MOBILE')
    plans[Number(callingCode)] = {
      country,
      callingCode,
      general: whole(plan.nationalNumberPattern()),
      lengths: plan.possibleLengths(),
      fixed: toKind(plan.type('FIXED_LINE')),
      mobile: toKind(mobile),
      isMixed: !mobile || mobile.pattern() === '',
      nationalPrefix: plan.nationalPrefixForParsing()
        ? new RegExp(`^(?:${plan.nationalPrefixForParsing()})`)
        : undefined
    }
  }
  return plans
}

/** The part of the library's numbering plan that its types leave out. */
interface LibraryPlan {
  nationalNumberPattern(): string
  possibleLengths(): number[]
  nationalPrefixForParsing(): string | undefined
  type(name: string): { pattern(): string; possibleLengths(): number[] | undefined } | undefined
}

function toKind(type: ReturnType<LibraryPlan['type']>): Kind | undefined {
  if (!type?.pattern()) return undefined
  return { pattern: whole(type.pattern()), lengths: type.possibleLengths() }
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
