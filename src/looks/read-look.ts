import type { Static } from 'typebox'
import { operation } from '../http/operation.ts'
import type { FamilyAddresses } from './family-addresses.ts'
import { type Look, LookView, logoPath, lookExample } from './look.ts'
import { findLook } from './looks.store.ts'
import type { LooksReader } from './looks.ts'

export interface LookParts {
  looks: LooksReader
  addresses: FamilyAddresses
}

export const readLook = (parts: LookParts) =>
  operation({
    route: 'GET /look',
    id: 'readLook',
    tag: 'Beyond',
    permission: 'any',
    summary: 'The look of my console',
    description:
      'The name, colour and logo of the top-level account, which its sub-accounts share, and the addresses of its console and links.',
    answer: LookView,
    example: { answer: lookExample },
    async handle({ caller: { topLevelId }, database }) {
      return toLookView(parts, topLevelId, await findLook(database, topLevelId))
    }
  })

/** The look that the account has chosen, or the operator's. */
export function toLookView(
  { looks, addresses }: LookParts,
  topLevelId: number,
  own: Look | undefined
): Static<typeof LookView> {
  const { name, colour, logo } = own ?? looks.of(undefined)
  return {
    is_own: own !== undefined,
    name,
    colour,
    logo_path: logoPath(logo),
    console_url: addresses.consoleUrl(topLevelId),
    link_url: addresses.linkUrl(topLevelId)
  }
}
