import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { ContactWithListView, contactExample, toContactWithListView } from './contact.ts'
import { findContact } from './contacts.store.ts'

export const readContact = operation({
  route: 'GET /contacts/{id}',
  id: 'readContact',
  tag: 'Contacts',
  permission: 'read',
  summary: 'Contact details',
  description: 'One contact, with its list. Fields that were never given are empty.',
  answer: ContactWithListView,
  example: { answer: contactExample },
  async handle({ caller, params, database }) {
    const contact = await findContact(database, { accountId: caller.accountId, id: params.id })
    if (!contact) throw notFound('contact')
    return toContactWithListView(contact)
  }
})
