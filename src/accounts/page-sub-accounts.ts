import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { SubAccountPage, toSubAccountView } from './account.ts'
import { countSubAccounts, listSubAccountsOfPage } from './accounts.store.ts'
import { subAccountExample } from './examples.ts'

export const pageSubAccounts = operation({
  route: 'GET /subaccount/paginate',
  id: 'pageSubAccounts',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'List sub-accounts, paginated',
  description: 'The sub-accounts of this account, newest first, a page at a time.',
  query: PageQuery,
  answer: SubAccountPage,
  example: {
    answer: {
      items: [subAccountExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller, query, database }) {
    const totalItems = await countSubAccounts(database, caller.accountId)
    const accounts = await listSubAccountsOfPage(database, caller.accountId, pageWindow({ ...query, totalItems }))
    return toPage(accounts.map(toSubAccountView), { ...query, totalItems })
  }
})
