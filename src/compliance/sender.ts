/**
 * What is wrong with a sender, in words that follow the name of its field; undefined if nothing. `ourNumbers` are the
 * numbers and short codes of the carriers file.
 */
export function checkSender(sender: string, { ourNumbers }: { ourNumbers: readonly string[] }): string | undefined {
  if (FRENCH_MOBILE.test(sender.replaceAll(SEPARATORS, ''))) {
    return 'must not be a French mobile number: operators block messages of companies from 06 and 07 numbers'
  }
  if (SHORT_CODE.test(sender) || isOurs(sender, ourNumbers)) return undefined
  if (!LETTER.test(sender)) {
    return 'must have at least one letter (without accent), unless it is a five-digit short code or one of our numbers'
  }
  if (!NAME.test(sender))
    return 'must have 3 to 11 letters without accents, digits, spaces, dots, dashes or underscores'
  if (sender !== sender.trim()) return 'must not begin or end with a space'
  return undefined
}

/**
 * 06 and 07 are for people: Arcep's numbering plan (decision 2018-0881) keeps them from machines. Overseas 06 numbers have
 * calling codes of their own.
 */
const FRENCH_MOBILE = /^(?:(?:\+|00)?(?:33|262|590|594|596)0?|0)[67]\d{8}$/
const SEPARATORS = /[\s.\-_()]/g

const SHORT_CODE = /^\d{5}$/
const LETTER = /[A-Za-z]/
/** 11 is what the address field of GSM 03.40 can hold of 7-bit characters. */
const NAME = /^[A-Za-z0-9 ._-]{3,11}$/

function isOurs(sender: string, ourNumbers: readonly string[]): boolean {
  const bare = withoutPlus(sender)
  return bare !== '' && ourNumbers.some((number) => withoutPlus(number) === bare)
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}
