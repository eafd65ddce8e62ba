import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { extract } from '../http/extract.ts'
import { operation } from '../http/operation.ts'
import { Paginated } from '../http/paging.ts'
import {
  AccountFilters,
  AccountQuery,
  AccountRowView,
  accountRowExample,
  readAccountPage,
  readAllAccounts,
  toAccountRowView
} from './account-row.ts'
import { listAccountRows } from './account-rows.store.ts'

export const listAccounts = operation({
  route: 'GET /accounts',
  id: 'listAccounts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List accounts (operator)',
  description:
    'All accounts of the installation, sub-accounts too, newest first unless sorted otherwise, with their credits, volume, activity and standing.',
  query: AccountQuery,
  answer: Paginated(AccountRowView, 'AccountList'),
  example: {
    answer: {
      items: [accountRowExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query, database }) {
    refuseUnlessOperator(caller)
    return readAccountPage(database, query, { toView: toAccountRowView })
  }
})

export const readAccount = operation({
  route: 'GET /accounts/{id}',
  id: 'readAccount',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Account details (operator)',
  description: 'One account of the installation, as the list shows it.',
  answer: AccountRowView,
  example: { answer: accountRowExample },
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database }) {
    refuseUnlessOperator(caller)
    const order = { sort: 'created', direction: 'desc', offset: 0, limit: 1 } as const
    const [row] = await listAccountRows(database, { id: params.id }, order)
    if (!row) throw notFound('account')
    return toAccountRowView(row)
  }
})

export const extractAccounts = extract({
  route: 'GET /accounts/extract',
  id: 'extractAccounts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List accounts, full extract (operator)',
  description:
    'All accounts of the installation, oldest first, or those that `search` and `standing` find, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  query: AccountFilters,
  row: AccountRowView,
  example: { answer: [accountRowExample] },
  refusals: OPERATOR_ONLY,
  mayLag: true,
  handle({ caller, query, database }) {
    refuseUnlessOperator(caller)
    return readAllAccounts(database, query, toAccountRowView)
  }
})
