import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { SubAccountView, toSubAccountView } from './account.ts'
import { findSubAccount } from './accounts.store.ts'
import { subAccountExample } from './examples.ts'

export const readSubAccount = operation({
  route: 'GET /subaccount/{id}',
  id: 'readSubAccount',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'Sub-account details',
  description: 'One sub-account of this account.',
  answer: SubAccountView,
  example: { answer: subAccountExample },
  async handle({ caller, params, database }) {
    const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
    if (!account) throw notFound('sub-account')
    return toSubAccountView(account)
  }
})
