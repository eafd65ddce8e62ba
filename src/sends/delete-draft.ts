import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteDraft as deleteRow } from './drafts.store.ts'

export const deleteDraft = operation({
  route: 'DELETE /drafts/{id}',
  id: 'deleteDraft',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Delete a draft',
  description: 'Removes a draft, whatever its version.',
  answer: Removed('DraftRemoved'),
  example: { answer: { success: true, message: 'The draft was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('draft')
      await record(database, { object: { kind: 'draft', id } })
    })
    return { success: true, message: 'The draft was deleted.' }
  }
})
