import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { ContactListInput, ContactListView, contactListExample, toContactListView } from './contact-list.ts'
import { updateList } from './contact-lists.store.ts'

export const updateContactList = operation({
  route: 'PUT /contactlists/{id}',
  id: 'updateContactList',
  tag: 'Listes de contacts',
  permission: 'contacts',
  summary: 'Update a contact list',
  description: 'Gives a list another name.',
  body: ContactListInput,
  answer: ContactListView,
  example: { body: { name: 'Clients de Lyon' }, answer: contactListExample },
  async handle({ caller, params, body, database }) {
    const list = await updateList(database, { accountId: caller.accountId, id: params.id, name: body.name })
    if (!list) throw notFound('contact list')
    return toContactListView(list)
  }
})
