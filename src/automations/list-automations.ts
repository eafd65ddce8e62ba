import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { AutomationPage, automationExample, toAutomationView } from './automation.ts'
import { countAutomations, listAutomationsOfPage } from './automations.store.ts'

export const listAutomations = operation({
  route: 'GET /automations',
  id: 'listAutomations',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List automations',
  description: 'The automations of this account, newest first.',
  query: PageQuery,
  answer: AutomationPage,
  example: {
    answer: {
      items: [automationExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, query, database }) {
    const totalItems = await countAutomations(database, accountId)
    const automations = await listAutomationsOfPage(database, accountId, pageWindow({ ...query, totalItems }))
    return toPage(automations.map(toAutomationView), { ...query, totalItems })
  }
})
