import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { ContactPage, contactExample, toContactView } from './contact.ts'
import { findList } from './contact-lists.store.ts'
import { listContactsOfPage, searchContacts } from './contacts.store.ts'

const { contactlist_id: _list, ...example } = contactExample

export const pageContacts = operation({
  route: 'GET /contactlists/{id}/contacts',
  id: 'pageContacts',
  tag: 'Listes de contacts',
  permission: 'read',
  summary: 'Contacts of a list, paginated',
  description: 'The contacts of a list, newest first.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(
      Type.String({ maxLength: 255, description: 'Only contacts whose name, number or mail contains this.' })
    )
  }),
  answer: ContactPage,
  example: {
    answer: {
      items: [example],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller, params, query, database }) {
    const list = await findList(database, { accountId: caller.accountId, id: params.id })
    if (!list) throw notFound('contact list')
    const scope = { accountId: caller.accountId, listId: list.id }
    const { search, ...page } = query
    if (search) {
      const offset = (page.page - 1) * page.limit
      const { contacts, total } = await searchContacts(database, scope, { search, offset, limit: page.limit })
      return toPage(contacts.map(toContactView), { ...page, totalItems: total })
    }
    const totalItems = list.contactsCount
    const contacts = await listContactsOfPage(database, scope, pageWindow({ ...page, totalItems }))
    return toPage(contacts.map(toContactView), { ...page, totalItems })
  }
})
