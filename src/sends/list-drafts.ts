import { operation } from '../http/operation.ts'
import { PageQuery, toPage } from '../http/paging.ts'
import { DraftPage, draftExample, toDraftLine } from './draft.ts'
import { countDrafts, listDraftsOfPage } from './drafts.store.ts'

const { fields: _fields, ...line } = draftExample

export const listDrafts = operation({
  route: 'GET /drafts',
  id: 'listDrafts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List drafts',
  description: 'The drafts of this account, the last changed first, without their fields.',
  query: PageQuery,
  answer: DraftPage,
  example: {
    answer: {
      items: [{ ...line, preview: 'Soldes dès demain' }],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, query: { page, limit }, database }) {
    const totalItems = await countDrafts(database, accountId)
    const drafts = await listDraftsOfPage(database, accountId, { offset: (page - 1) * limit, limit })
    return toPage(drafts.map(toDraftLine), { page, limit, totalItems })
  }
})
