import Type from 'typebox'
import { ELSEWHERE, FRANCE, NAME_FORMS } from './countries.ts'
import { isFrench } from './french-zones.ts'
import type { SenderRegister } from './sender-register.ts'

/*
 * The senders that a phone may show: a name that the operators of the recipient's country accept, or a number of ours. Every sender
 * is checked here: of a message, an RCS fallback, a template, the settings of an account, the carriers file.
 */

/**
 * A sender as a field of a request, with a sentence about its absence. The schema allows longer texts than any sender, so that
 * `checkSender` alone reports the problem.
 */
export function senderField(absence: string) {
  return Type.String({ maxLength: 255, description: `${SENDER_WORDS} ${absence}` })
}

const SENDER_WORDS =
  'What the phone shows: 3 to 11 letters without accents and digits, with at least one letter, or a number of this service. Outside of France also space, `.`, `-` and `_`.'

/** What senders are checked against. */
export interface OurNumbers {
  /** Numbers and short codes that we may send from, without `+`. */
  readonly ourNumbers: ReadonlySet<string>
  readonly senders: SenderRegister
}

/**
 * The problem of a sender, in words that follow the name of its field; undefined if there is none. `country` is that of the
 * recipients or, where they are not known, of the account.
 */
export function checkSender(
  sender: string,
  { country, ourNumbers }: { country: string; ourNumbers: ReadonlySet<string> }
): string | undefined {
  const form = formOf(country)
  const bare = sender.replaceAll(SEPARATORS, '')
  if (FRENCH_MOBILE.test(bare)) return FRENCH_MOBILE_REFUSED
  if (DIGITS.test(bare)) {
    const isOurs = ourNumbers.has(withoutPlus(sender))
    return isOurs ? undefined : `must be a number of this service, or ${form.words} with a letter, such as MYSHOP`
  }
  return form.pattern.test(sender) ? undefined : `must be ${form.words}, such as MYSHOP`
}

/**
 * Every account keeps to the form of France or, for other countries, to the widest form: a name that some operator abroad
 * refuses still leaves. The narrower forms of other countries are for accounts that the sender register binds.
 */
function formOf(country: string) {
  return NAME_FORMS[(isFrench(country) ? FRANCE : ELSEWHERE).names.form]
}

const SEPARATORS = /[\s.\-_()]/g
const DIGITS = /^\+?\d+$/

/**
 * 06 and 07 are for people: Arcep's numbering plan (decision 2018-0881) keeps them from machines. Overseas 06 numbers have
 * calling codes of their own.
 */
const FRENCH_MOBILE = /^(?:(?:\+|00)?(?:33|262|590|594|596)0?|0)[67]\d{8}$/
const FRENCH_MOBILE_REFUSED =
  'must not be a French mobile number: operators block 06 and 07 numbers as senders; take a name such as MYSHOP'

/** The numbers of the carriers file as `checkSender` compares them. */
export function toOurNumbers(numbers: Iterable<string>): ReadonlySet<string> {
  return new Set(Array.from(numbers, withoutPlus))
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}
