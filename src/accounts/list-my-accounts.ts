import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { RoleSchema } from '../people/role.ts'
import type { FindSite } from '../second-factors/site.ts'
import { accountsAt } from './family-only.ts'
import { listOwnAccounts } from './members.store.ts'
import { PERSON_ONLY, refuseKeys } from './person-only.ts'

const OwnAccountView = Type.Object(
  {
    id: Type.Integer(),
    social_reason: Type.String({ description: 'Company name.' }),
    email: Type.String({ description: 'Of the person who holds the account.' }),
    role: RoleSchema,
    standing: Type.Enum(['open', 'suspended', 'closed']),
    is_current: Type.Boolean({ description: 'Whether the token of the request is for this account.' })
  },
  { $id: 'OwnAccount' }
)

export const listMyAccounts = (findSite: FindSite) =>
  operation({
    route: 'GET /users/me/accounts',
    id: 'listMyAccounts',
    tag: 'Beyond',
    permission: 'any',
    summary: 'The accounts that I am on',
    description:
      'The accounts of the person who asks, with their role on each: those that they hold first. At a host name that belongs to a top-level account, only that one and its sub-accounts.',
    answer: Type.Array(OwnAccountView),
    example: {
      answer: [
        {
          id: 12,
          social_reason: 'Boutique Martin',
          email: 'lea@boutique.example',
          role: 'owner',
          standing: 'open',
          is_current: true
        }
      ]
    },
    refusals: PERSON_ONLY,
    async prepare({ origin }) {
      return findSite(origin)
    },
    async handle({ caller, prepared: site, database }) {
      const { personId } = refuseKeys(caller)
      const accounts = accountsAt(site, await listOwnAccounts(database, personId))
      return accounts.map(({ id, socialReason, email, role, standing }) => {
        const isCurrent = id === caller.accountId && !caller.isViewing
        return { id, social_reason: socialReason, email, role, standing, is_current: isCurrent }
      })
    }
  })
