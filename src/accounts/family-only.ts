import { Refusal } from '../errors.ts'
import type { Site } from '../second-factors/site.ts'

/** The accounts that can be entered at a site: at the site of a family, only its own. */
export function accountsAt<Account extends { topLevelId: number }>(
  { familyId }: Pick<Site, 'familyId'>,
  accounts: readonly Account[]
): Account[] {
  return accounts.filter(({ topLevelId }) => familyId === undefined || topLevelId === familyId)
}

/** The refusal of a person of another family. Only a right password leads to it: else it would tell who has an account. */
export function ofOthers({ name }: Pick<Site, 'name'>): Refusal {
  const sentence = `This address is for the people of ${name}: log in at the address of your own account.`
  return new Refusal(403, 'forbidden', sentence)
}

export const FAMILY_ONLY = { forbidden: 'The host name of the request belongs to other accounts.' }
