import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { toUserView, UserView } from './account.ts'
import { findSubAccount } from './accounts.store.ts'
import { userExample } from './examples.ts'

export const readSubAccountUser = operation({
  route: 'GET /subaccount/{id}/user',
  // Clients of the field call this operation by this name.
  id: 'SubaccountController_getUserInfo',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'User info of a sub-account',
  description: 'The person behind a sub-account: how to reach them, where they are, when they last logged in.',
  answer: UserView,
  example: { answer: userExample },
  async handle({ caller, params, database }) {
    const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
    if (!account) throw notFound('sub-account')
    return toUserView(account)
  }
})
