import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Removed } from './contact-list.ts'
import { updateAfterRemoving } from './contact-lists.store.ts'
import { deleteContact as deleteRow } from './contacts.store.ts'

export const deleteContact = operation({
  route: 'DELETE /contacts/{id}',
  id: 'deleteContact',
  tag: 'Contacts',
  permission: 'contacts',
  summary: 'Delete a contact',
  description: 'Removes a contact from its list.',
  answer: Removed('ContactRemovedRO'),
  example: { answer: { success: true, message: 'The contact was deleted.' } },
  async handle({ caller, params, database, record }) {
    const { accountId } = caller
    await database.begin(async (database) => {
      const removed = await deleteRow(database, { accountId, id: params.id })
      if (!removed) throw notFound('contact')
      await updateAfterRemoving(database, { accountId, id: removed.listId }, 1)
      await record(database, { object: { kind: 'contact', id: params.id } })
    })
    return { success: true, message: 'The contact was deleted.' }
  }
})
