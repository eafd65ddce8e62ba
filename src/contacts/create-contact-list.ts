import { operation } from '../http/operation.ts'
import { ContactListInput, ContactListView, contactListExample, toContactListView } from './contact-list.ts'
import { insertList } from './contact-lists.store.ts'

export const createContactList = operation({
  route: 'POST /contactlists',
  id: 'createContactList',
  tag: 'Listes de contacts',
  permission: 'contacts',
  summary: 'Create a contact list',
  description: 'Makes an empty list. Several lists may have the same name.',
  body: ContactListInput,
  answer: ContactListView,
  example: { body: { name: 'Clients de Lyon' }, answer: { ...contactListExample, contacts_count: 0 } },
  async handle({ caller, body, database, record }) {
    return database.begin(async (database) => {
      const list = await insertList(database, { accountId: caller.accountId, name: body.name })
      await record(database, { object: { kind: 'contact_list', id: list.id }, changes: { name: [null, body.name] } })
      return toContactListView(list)
    })
  }
})
