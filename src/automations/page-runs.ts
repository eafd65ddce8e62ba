import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { AutomationRunPage, runExample, toRunView } from './automation.ts'
import { countRuns, findAutomation, listRunsOfPage } from './automations.store.ts'

export const pageAutomationRuns = operation({
  route: 'GET /automations/{id}/runs',
  id: 'pageAutomationRuns',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The history of an automation',
  description:
    'The runs that sent a message or were refused, newest first. A run for which nobody fitted is not kept; `last_run_at` of the automation tells of it.',
  query: PageQuery,
  answer: AutomationRunPage,
  example: {
    answer: {
      items: [runExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, params: { id }, query, database }) {
    const key = { accountId, id }
    if (!(await findAutomation(database, key))) throw notFound('automation')
    const totalItems = await countRuns(database, key)
    const runs = await listRunsOfPage(database, key, pageWindow({ ...query, totalItems }))
    return toPage(runs.map(toRunView), { ...query, totalItems })
  }
})
