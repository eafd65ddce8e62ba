import Type from 'typebox'
import type { Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { operation } from '../http/operation.ts'
import { CreditsView, creditsExample, toCreditsView } from './credit.ts'
import { type CreditsRow, listSpendableCredits } from './credits.store.ts'

/** Clients ask this before and after every send. Requests of the same moment share one query. */
const GROUP_SIZE_MAX = 200
const GROUPS_RUNNING_MAX = 2
const GROUP_SPACING_MS = 2

export const readCredits = (pool: Pool) => {
  const creditsOf = groupCalls<number, CreditsRow[]>(
    async (accountIds) => {
      const rows = Map.groupBy(await listSpendableCredits(pool, [...new Set(accountIds)]), ({ accountId }) => accountId)
      return accountIds.map((accountId) => rows.get(accountId) ?? [])
    },
    { sizeMax: GROUP_SIZE_MAX, runningMax: GROUPS_RUNNING_MAX, spacingMs: GROUP_SPACING_MS }
  )
  return operation({
    route: 'GET /users/credits',
    id: 'readCredits',
    tag: 'Utilisateur',
    permission: 'read',
    summary: 'Credits',
    description:
      'The credits this account can spend, one record per message type. A sub-account in `parent` mode sees those of the account above.',
    answer: Type.Array(CreditsView),
    example: { answer: creditsExample },
    async handle({ caller }) {
      return (await creditsOf(caller.accountId)).map(toCreditsView)
    }
  })
}
