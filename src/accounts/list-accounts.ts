import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, pageWindow, toPage } from '../http/paging.ts'
import { AccountView, toAccountView } from './account.ts'
import { countAllAccounts, listAllAccountsOfPage } from './accounts.store.ts'
import { accountExample } from './examples.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from './operator.ts'

export const listAccounts = operation({
  route: 'GET /accounts',
  id: 'listAccounts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List accounts (operator)',
  description: 'All accounts of the installation, sub-accounts too, newest first.',
  query: PageQuery,
  answer: Paginated(AccountView, 'AccountList'),
  example: {
    answer: {
      items: [accountExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query, database }) {
    refuseUnlessOperator(caller)
    const totalItems = await countAllAccounts(database)
    const accounts = await listAllAccountsOfPage(database, pageWindow({ ...query, totalItems }))
    return toPage(accounts.map(toAccountView), { ...query, totalItems })
  }
})
