import Type, { type Static } from 'typebox'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { createLeftOut } from '../spreadsheets/left-out.ts'
import { createBreath } from '../workers/breath.ts'
import { ContactEntry, fromWireFields } from './contact.ts'
import { findList, updateAfterAdding } from './contact-lists.store.ts'
import { type NewContact, upsertContacts } from './contacts.store.ts'
import { ContactsAddedView, toMessage } from './contacts-added.ts'

const BODY_BYTES_MAX = 64 * 1024 * 1024
const CONTACTS_MAX = 100_000
/** Contacts per statement: enough to make its fixed cost vanish, few enough to keep its arrays small. */
const CHUNK = 5_000
const TRIES_MAX = 3

export const addContacts = operation({
  route: 'POST /contacts',
  id: 'addContacts',
  tag: 'Contacts',
  permission: 'contacts',
  summary: 'Add one or several contacts',
  description:
    'Adds contacts to a list. A number that the list has already is updated: the fields given replace the old ones, the others stay. Entries without a valid number are counted and left out.',
  body: Type.Object(
    {
      contactlist_id: Type.Integer({ minimum: 1, maximum: ID_MAX }),
      contacts: Type.Array(ContactEntry, { minItems: 1, maxItems: CONTACTS_MAX })
    },
    { $id: 'ContactsInsertDto' }
  ),
  bodyBytesMax: BODY_BYTES_MAX,
  answer: ContactsAddedView,
  example: {
    body: { contactlist_id: 3, contacts: [{ tel: '06 39 98 00 01', champ_nom: 'Martin', champ_prenom: 'Léa' }] },
    answer: {
      success: true,
      message: '1 contacts added, 0 updated, 0 repeated, 0 invalid.',
      added: 1,
      updated: 0,
      duplicates: 0,
      invalid: 0,
      not_mobile: 0,
      errors: []
    }
  },
  refusals: { not_found: 'There is no such contact list.' },
  async handle({ caller, body, database, record }) {
    const { contacts, duplicates, notMobile, leftOut } = await readContacts(body.contacts, caller.country)
    const key = { accountId: caller.accountId, id: body.contactlist_id }
    // On a cluster, a change of a number does not always give way in a deadlock.
    const written = await retryBusy(TRIES_MAX, () =>
      database.begin(async (database) => {
        const total = await write(database, key, contacts)
        await record(database, {
          object: { kind: 'contact_list', id: key.id },
          changes: { added: [0, total.added], updated: [0, total.updated] }
        })
        return total
      })
    )
    const counts = { ...written, duplicates, invalid: leftOut.invalid, not_mobile: notMobile }
    return { success: true, message: toMessage(counts), ...counts, errors: leftOut.errors() }
  }
})

async function write(database: Database, key: { accountId: number; id: number }, contacts: readonly NewContact[]) {
  if (!(await findList(database, key))) throw notFound('contact list')
  const total = { added: 0, updated: 0 }
  let firstId: number | null = null
  for (let start = 0; start < contacts.length; start += CHUNK) {
    const chunk = contacts.slice(start, start + CHUNK)
    const written = await upsertContacts(database, { ...key, listId: key.id, contacts: chunk })
    total.added += written.added
    total.updated += written.updated
    // Ids rise: the first chunk with new contacts has the smallest.
    firstId ??= written.firstId
  }
  const isThere = await updateAfterAdding(database, key, { count: total.added, firstId })
  if (!isThere) throw notFound('contact list')
  return total
}

/** Keeps the contacts that can be stored, in the order of their numbers, as the store needs them. Of repeats the first wins. */
async function readContacts(inputs: Static<typeof ContactEntry>[], country: string) {
  const contacts = new Map<string, NewContact>()
  const leftOut = createLeftOut()
  let duplicates = 0
  let notMobile = 0
  const breathe = createBreath()
  for (const [index, input] of inputs.entries()) {
    await breathe()
    const tel = input.tel ?? ''
    const text = typeof tel === 'string' ? tel : JSON.stringify(tel)
    const number = typeof tel === 'string' ? parsePhoneNumber(tel, country) : undefined
    if (number && !number.canReceiveSms) notMobile++
    if (!number) leftOut.addInvalid(index + 1, text)
    else if (contacts.has(number.e164)) {
      duplicates++
      leftOut.addRepeated(index + 1, text)
    } else contacts.set(number.e164, { phone: number.e164, ...fromWireFields(input) })
  }
  const sorted = [...contacts.values()].sort((a, b) => (a.phone < b.phone ? -1 : 1))
  return { contacts: sorted, duplicates, notMobile, leftOut }
}
