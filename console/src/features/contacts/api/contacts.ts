import { call, download, type Schemas } from '../../../lib/api.ts'
import type { ContactField } from '../fields.ts'

export type Contact = Schemas['Contacts']
export type ContactValues = Record<ContactField, string>

export const contactsKey = (listId: number, search: string) => ['contact list', listId, 'contacts', search]

export const pageContacts = (
  listId: number,
  query: { page: number; limit: number; search: string },
  signal: AbortSignal
) => call('pageContacts', { path: { id: listId }, query, signal })

/** Empty fields are not sent: for a number that the list already has, they would erase the stored ones. */
export function addContact(listId: number, values: ContactValues) {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
  return call('addContacts', { body: { contactlist_id: listId, contacts: [given] } })
}

export const updateContact = (id: number, values: ContactValues) =>
  call('updateContact', { path: { id }, body: values })
export const deleteContact = (id: number) => call('deleteContact', { path: { id } })
export const extractContacts = (listId: number) => download('extractContacts', { id: listId })
