import { notFound } from '../errors.ts'
import { extract } from '../http/extract.ts'
import { operation } from '../http/operation.ts'
import { Paginated } from '../http/paging.ts'
import {
  AccountFilters,
  AccountQuery,
  readAccountPage,
  readAllAccounts,
  SubAccountRowView,
  subAccountRowExample,
  toSubAccountRowView
} from './account-row.ts'
import { listAccountRows } from './account-rows.store.ts'

export const pageSubAccounts = operation({
  route: 'GET /subaccount/paginate',
  id: 'pageSubAccounts',
  tag: 'Sous-Comptes',
  permission: 'read',
  summary: 'List sub-accounts, paginated',
  description:
    'The sub-accounts of this account, newest first unless sorted otherwise, a page at a time, with their credits, volume, activity and standing.',
  query: AccountQuery,
  answer: Paginated(SubAccountRowView, 'SubAccountListRo'),
  example: {
    answer: {
      items: [subAccountRowExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  handle: ({ caller, query, database }) =>
    readAccountPage(database, query, { parentId: caller.accountId, toView: toSubAccountRowView })
})

export const readSubAccountOverview = operation({
  route: 'GET /subaccount/{id}/overview',
  id: 'readSubAccountOverview',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Sub-account with its figures',
  description: 'One sub-account of this account, as the paginated list shows it.',
  answer: SubAccountRowView,
  example: { answer: subAccountRowExample },
  async handle({ caller, params, database }) {
    const order = { sort: 'created', direction: 'desc', offset: 0, limit: 1 } as const
    const [row] = await listAccountRows(database, { parentId: caller.accountId, id: params.id }, order)
    if (!row) throw notFound('sub-account')
    return toSubAccountRowView(row)
  }
})

export const extractSubAccounts = extract({
  route: 'GET /subaccount/extract',
  id: 'extractSubAccounts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List sub-accounts, full extract',
  description:
    'All sub-accounts of this account, oldest first, or those that `search` and `standing` find, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  query: AccountFilters,
  row: SubAccountRowView,
  example: { answer: [subAccountRowExample] },
  mayLag: true,
  handle: ({ caller, query, database }) =>
    readAllAccounts(database, { ...query, parentId: caller.accountId }, toSubAccountRowView)
})
