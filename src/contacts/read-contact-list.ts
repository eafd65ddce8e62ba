import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { ContactListView, contactListExample, toContactListView } from './contact-list.ts'
import { findList } from './contact-lists.store.ts'

export const readContactList = operation({
  route: 'GET /contactlists/{id}',
  id: 'readContactList',
  tag: 'Listes de contacts',
  permission: 'read',
  summary: 'Contact list details',
  description: 'One list, with its number of contacts.',
  answer: ContactListView,
  example: { answer: contactListExample },
  async handle({ caller, params, database }) {
    const list = await findList(database, { accountId: caller.accountId, id: params.id })
    if (!list) throw notFound('contact list')
    return toContactListView(list)
  }
})
