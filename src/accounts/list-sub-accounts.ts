import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { SubAccountView, toSubAccountView } from './account.ts'
import { listSubAccounts as listRows } from './accounts.store.ts'
import { subAccountExample } from './examples.ts'

export const listSubAccounts = operation({
  route: 'GET /subaccount',
  id: 'listSubAccounts',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'List sub-accounts',
  description: 'All sub-accounts of this account, newest first.',
  answer: Type.Array(SubAccountView),
  example: { answer: [subAccountExample] },
  async handle({ caller, database }) {
    const accounts = await listRows(database, caller.accountId)
    return accounts.map(toSubAccountView)
  }
})
