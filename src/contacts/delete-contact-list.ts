import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Removed } from './contact-list.ts'
import { deleteHiddenContacts, hideList } from './contact-lists.store.ts'

/** Up to this many contacts go with the list at once; more are removed in the background. */
const INLINE_MAX = 5_000

export const deleteContactList = operation({
  route: 'DELETE /contactlists/{id}',
  id: 'deleteContactList',
  tag: 'Listes de contacts',
  permission: 'contacts',
  summary: 'Delete a contact list',
  description:
    'Removes a list with its contacts. They are hidden at once; the contacts of a large list are removed in the background.',
  answer: Removed('ContactlistsRemovedRO'),
  example: { answer: { success: true, message: 'The contact list and its 1250 contacts were deleted.' } },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    const size = await database.begin(async (database) => {
      const size = await hideList(database, key)
      if (size === undefined) throw notFound('contact list')
      if (size < INLINE_MAX) await deleteHiddenContacts(database, key, INLINE_MAX)
      await record(database, { object: { kind: 'contact_list', id: params.id }, changes: { contacts: [size, 0] } })
      return size
    })
    return { success: true, message: `The contact list and its ${size} contacts were deleted.` }
  }
})
