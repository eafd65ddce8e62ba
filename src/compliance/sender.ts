import Type from 'typebox'
import { isFrench } from './french-zones.ts'

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

/** Numbers and short codes that we may send from, without `+`. */
export interface OurNumbers {
  readonly ourNumbers: ReadonlySet<string>
}

/**
 * The problem of a sender, in words that follow the name of its field; undefined if there is none. `country` is that of the
 * recipients or, where they are not known, of the account.
 */
export function checkSender(
  sender: string,
  { country, ourNumbers }: { country: string; ourNumbers: ReadonlySet<string> }
): string | undefined {
  const rule = ruleOf(country)
  const bare = sender.replaceAll(SEPARATORS, '')
  if (FRENCH_MOBILE.test(bare)) return FRENCH_MOBILE_REFUSED
  if (DIGITS.test(bare)) {
    const isOurs = ourNumbers.has(withoutPlus(sender))
    return isOurs ? undefined : `must be a number of this service, or ${rule.words} with a letter, such as MYSHOP`
  }
  return rule.name.test(sender) ? undefined : `must be ${rule.words}, such as MYSHOP`
}

interface SenderRule {
  name: RegExp
  /** The rule of a name, after "must be". */
  words: string
}

/** The charter of the French operators (AF2M, 2026). 11 is what the address field of GSM 03.40 holds of 7-bit characters. */
const FRANCE: SenderRule = { name: /^(?=.*[A-Za-z])[A-Za-z0-9]{3,11}$/, words: '3 to 11 letters and digits' }

const ELSEWHERE: SenderRule = {
  name: /^(?! )(?=.*[A-Za-z])[A-Za-z0-9 ._-]{3,11}(?<! )$/,
  words: '3 to 11 letters, digits, spaces, dots, dashes and underscores'
}

function ruleOf(country: string): SenderRule {
  return isFrench(country) ? FRANCE : ELSEWHERE
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
