import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { EXTRACT_CHUNK, extract } from '../http/extract.ts'
import { ContactWithListView, contactExample, toContactWithListView } from './contact.ts'
import { findList } from './contact-lists.store.ts'
import { listContactsBefore } from './contacts.store.ts'

export const extractContacts = extract({
  route: 'GET /contactlists/{id}/contacts-extract',
  id: 'extractContacts',
  tag: 'Listes de contacts',
  permission: 'read',
  summary: 'Contacts of a list, full extract',
  description: 'All contacts of a list, newest first, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  row: ContactWithListView,
  example: { answer: [contactExample] },
  mayLag: true,
  handle: ({ caller, params, database }) => readContacts(database, { accountId: caller.accountId, listId: params.id })
})

async function* readContacts(sql: Sql, scope: { accountId: number; listId: number }) {
  const list = await findList(sql, { accountId: scope.accountId, id: scope.listId })
  if (!list) throw notFound('contact list')
  let beforeId = Number.MAX_SAFE_INTEGER
  while (true) {
    const contacts = await listContactsBefore(sql, scope, { beforeId, limit: EXTRACT_CHUNK })
    yield contacts.map(toContactWithListView)
    const last = contacts.at(-1)
    if (!last || contacts.length < EXTRACT_CHUNK) return
    beforeId = last.id
  }
}
