import Type from 'typebox'
import { type Database, giveUpInDeadlocks, type Sql, violatedConstraint } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { invalidInput, notFound, Refusal } from '../errors.ts'
import { hiddenChanges } from '../http/act.ts'
import { operation } from '../http/operation.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import {
  type Contact,
  ContactInput,
  ContactWithListView,
  contactExample,
  fromWireFields,
  toContactWithListView
} from './contact.ts'
import { updateAfterAdding } from './contact-lists.store.ts'
import { findContact, updateContact as updateRow } from './contacts.store.ts'

export const updateContact = operation({
  route: 'PUT /contacts/{id}',
  id: 'updateContact',
  tag: 'Contacts',
  permission: 'contacts',
  summary: 'Update a contact',
  description: 'Changes the fields given and leaves the others. Empty text clears a field.',
  body: Type.Object(
    { ...ContactInput.properties, tel: Type.Optional(Type.String({ ...ContactInput.properties.tel, minLength: 1 })) },
    { $id: 'ContactsUpdate' }
  ),
  answer: ContactWithListView,
  example: { body: { champ_ville: 'Lyon' }, answer: contactExample },
  refusals: { state_conflict: 'The list has a contact with this number already, or the Idempotency-Key is in use.' },
  async handle({ caller, params, body, database, record }) {
    const number = body.tel === undefined ? undefined : parsePhoneNumber(body.tel, caller.country)
    if (body.tel !== undefined && !number) throw invalidInput([{ path: 'tel', message: NOT_A_NUMBER }])
    const changes = { ...fromWireFields(body), ...(number && { phone: number.e164 }) }
    const key = { accountId: caller.accountId, id: params.id }
    const isEmpty = Object.keys(changes).length === 0
    // The names of fields alone: what is known about a contact can be erased, and the trail can’t.
    const noteChange = (sql: Sql) =>
      record(sql, { object: { kind: 'contact', id: params.id }, changes: hiddenChanges(Object.keys(body)) })
    const contact = isEmpty ? await findContact(database, key) : await change(database, { ...key, changes }, noteChange)
    if (!contact) throw notFound('contact')
    return toContactWithListView(contact)
  }
})

/** The transaction that won has usually ended by the next try. */
const TRIES_MAX = 3

type Change = Parameters<typeof updateRow>[1]

async function change(
  database: Database,
  change: Change,
  noteChange: (sql: Sql) => Promise<void>
): Promise<Contact | undefined> {
  const update = change.changes.phone === undefined ? updateRow : changeNumber
  // The old number, then the new one: this breaks the order of numbers that all other writers keep to, so it may deadlock.
  return retryBusy(TRIES_MAX, () =>
    database.begin(async (database) => {
      const contact = await update(database, change)
      if (contact) await noteChange(database)
      return contact
    })
  )
}

async function changeNumber(database: Database, change: Change): Promise<Contact | undefined> {
  await giveUpInDeadlocks(database)
  const before = await findContact(database, change)
  const contact = await updateRow(database, change).catch((error) => {
    if (violatedConstraint(error) !== 'contacts_phone_unique') throw error
    throw new Refusal(409, 'state_conflict', 'The list has a contact with this number already.')
  })
  if (contact && contact.phone !== before?.phone) {
    const list = { accountId: change.accountId, id: contact.listId }
    // Counts as added: the RCS capability of the new number is unknown.
    if (!(await updateAfterAdding(database, list, { count: 0, firstId: contact.id }))) throw notFound('contact')
  }
  return contact
}
