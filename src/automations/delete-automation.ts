import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteAutomation as deleteRow } from './automations.store.ts'

export const deleteAutomation = operation({
  route: 'DELETE /automations/{id}',
  id: 'deleteAutomation',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Delete an automation',
  description: 'Removes an automation and its history. The messages that it sent stay.',
  answer: Removed('AutomationRemoved'),
  example: { answer: { success: true, message: 'The automation was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('automation')
      await record(database, { object: { kind: 'automation', id } })
    })
    return { success: true, message: 'The automation was deleted.' }
  }
})
