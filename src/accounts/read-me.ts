import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { MeView, type Surroundings, toMeView } from './account.ts'
import { findAccount } from './accounts.store.ts'
import { meExample } from './examples.ts'

export const readMe = (surroundings: Surroundings) =>
  operation({
    route: 'GET /users/me',
    id: 'readMe',
    tag: 'Beyond',
    summary: 'My account',
    description: 'The account that asks, with its settings.',
    answer: MeView,
    example: { answer: meExample },
    async handle({ caller, database }) {
      const account = await findAccount(database, caller.accountId)
      if (!account) throw notFound('account')
      return toMeView(account, surroundings)
    }
  })
