import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { AutomationView, automationExample, toAutomationView } from './automation.ts'
import { findAutomation } from './automations.store.ts'

export const readAutomation = operation({
  route: 'GET /automations/{id}',
  id: 'readAutomation',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Read an automation',
  description: 'What it sends, to whom and when.',
  answer: AutomationView,
  example: { answer: automationExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const automation = await findAutomation(database, { accountId, id })
    if (!automation) throw notFound('automation')
    return toAutomationView(automation)
  }
})
