import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { ContactListView, contactListExample, toContactListView } from './contact-list.ts'
import { listLists } from './contact-lists.store.ts'

export const listContactLists = operation({
  route: 'GET /contactlists',
  id: 'listContactLists',
  tag: 'Listes de contacts',
  permission: 'read',
  summary: 'List contact lists',
  description: 'All contact lists of this account, newest first.',
  query: Type.Object({
    search: Type.Optional(Type.String({ maxLength: 255, description: 'Only lists whose name contains this.' }))
  }),
  answer: Type.Array(ContactListView),
  example: { answer: [contactListExample] },
  async handle({ caller, query, database }) {
    const lists = await listLists(database, { accountId: caller.accountId, search: query.search })
    return lists.map(toContactListView)
  }
})
