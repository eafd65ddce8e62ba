import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { summaryExample, TrialPage, toTrialSummary } from './trial.ts'
import { countTrials, listTrialsOfPage } from './trials.store.ts'

export const listTrials = operation({
  route: 'GET /trials',
  id: 'listTrials',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List trials',
  description: 'The trials of this account, newest first, without their figures.',
  query: PageQuery,
  answer: TrialPage,
  example: {
    answer: {
      items: [summaryExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, query, database }) {
    const totalItems = await countTrials(database, accountId)
    const trials = await listTrialsOfPage(database, accountId, pageWindow({ ...query, totalItems }))
    return toPage(trials.map(toTrialSummary), { ...query, totalItems })
  }
})
