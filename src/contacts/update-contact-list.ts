import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { ContactListInput, ContactListView, contactListExample, toContactListView } from './contact-list.ts'
import { findList, updateList } from './contact-lists.store.ts'

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
  async handle({ caller, params, body, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    return database.begin(async (database) => {
      const before = await findList(database, key)
      const list = await updateList(database, { ...key, name: body.name })
      if (!list || !before) throw notFound('contact list')
      await record(database, {
        object: { kind: 'contact_list', id: list.id },
        changes: { name: [before.name, list.name] }
      })
      return toContactListView(list)
    })
  }
})
