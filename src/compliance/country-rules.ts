import { COUNTRIES, type CountryRules, ELSEWHERE, NAME_FORMS } from './countries.ts'

/* Applies the data of `countries.ts`. */

const RULES = new Map<string, CountryRules>(
  COUNTRIES.flatMap((rules) => [rules.country, ...rules.territories].map((country) => [country, rules] as const))
)

/** The rules of a country or territory; those of no country in particular if it is not listed. */
export function rulesOf(country: string): CountryRules {
  return RULES.get(country) ?? ELSEWHERE
}

/**
 * The problem of a sender by the country's own rules on names and short codes, in words that follow the name of its field.
 * `checkSender` has passed the sender before. Only accounts that are warned, or that must keep to the register, get here.
 */
export function checkCountrySender(
  sender: string,
  { country, category }: { country: string; category: 'marketing' | 'transactional' | undefined }
): string | undefined {
  const rules = rulesOf(country)
  if (NUMBER.test(sender)) return category && checkShortCode(sender, rules, category)
  const { status, form } = rules.names
  if (status === 'none') return `must be a number: networks of ${country} show no names`
  const { pattern, words } = NAME_FORMS[form]
  return pattern.test(sender) ? undefined : `must be ${words} in ${country}, such as ${EXAMPLES[form]}`
}

function checkShortCode(
  sender: string,
  { shortCodes }: CountryRules,
  category: 'marketing' | 'transactional'
): string | undefined {
  const found = shortCodes.find(({ prefix, digits }) => sender.length === digits && sender.startsWith(prefix))
  if (!found || found.use === category) return undefined
  const right = shortCodes.find(({ use }) => use === category)
  const instead = right ? `; take a name, or a short code that begins with ${right.prefix}` : '; take a name'
  return `must not be ${sender} for a ${category} message: short codes with ${found.prefix} are for ${found.use} ones${instead}`
}

const NUMBER = /^\+?\d+$/
const EXAMPLES: Record<keyof typeof NAME_FORMS, string> = { plain: 'MYSHOP', signs: 'MYSHOP', 'six-letters': 'MYSHOP' }
