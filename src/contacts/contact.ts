import Type, { type Static } from 'typebox'
import { Paginated } from '../http/paging.ts'

/** The fields of a contact: their names in the API, and in the code. */
export const CONTACT_FIELDS = [
  ['champ_nom', 'lastName'],
  ['champ_prenom', 'firstName'],
  ['champ_mail', 'email'],
  ['champ_adresse', 'address'],
  ['champ_cp', 'postalCode'],
  ['champ_date', 'date'],
  ['champ_ville', 'city'],
  ['champ_perso1', 'custom1'],
  ['champ_perso2', 'custom2'],
  ['champ_perso3', 'custom3'],
  ['champ_perso4', 'custom4'],
  ['champ_perso5', 'custom5'],
  ['champ_perso6', 'custom6'],
  ['champ_perso7', 'custom7'],
  ['champ_perso8', 'custom8'],
  ['champ_perso9', 'custom9'],
  ['champ_perso10', 'custom10']
] as const

export type WireField = (typeof CONTACT_FIELDS)[number][0]
export type ContactField = (typeof CONTACT_FIELDS)[number][1]

/** The column that holds a field. */
export function columnOf(field: ContactField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The known fields of a person; a field that was never given is absent. */
export type ContactFields = { [F in ContactField]?: string | null }

export interface Contact extends ContactFields {
  id: number
  listId: number
  phone: string
}

export const FIELD_LENGTH_MAX = 1000

const DESCRIPTIONS: Partial<Record<WireField, string>> = {
  champ_nom: 'Last name.',
  champ_prenom: 'First name.',
  champ_mail: 'Email address.',
  champ_adresse: 'Street address.',
  champ_cp: 'Postal code.',
  champ_date: 'A date, as text.',
  champ_ville: 'City.'
}

const fieldSchemas = Object.fromEntries(
  CONTACT_FIELDS.map(([wire]) => [
    wire,
    Type.String({ maxLength: FIELD_LENGTH_MAX, description: DESCRIPTIONS[wire] ?? 'A field of your own.' })
  ])
) as Record<WireField, Type.TString>

const Tel = Type.String({ maxLength: 255, description: 'The number; answered as E.164.' })

const ContactView = Type.Object({ id: Type.Integer(), tel: Tel, ...fieldSchemas }, { $id: 'Contacts' })
export const ContactWithListView = Type.Object(
  { id: Type.Integer(), contactlist_id: Type.Integer(), tel: Tel, ...fieldSchemas },
  { $id: 'ContactsWithId' }
)
export const ContactPage = Paginated(ContactView, 'ContactlistsContactsRo')

/** Any part of a contact, as it comes in. */
export const ContactInput = Type.Partial(Type.Object({ tel: Tel, ...fieldSchemas }))

/** One of many contacts that come in together: a bad `tel` leaves out its entry and refuses none of the others. */
export const ContactEntry = Type.Partial(
  Type.Object({
    tel: Type.Unknown({ description: 'The number, as text. An entry with anything else is counted in `invalid`.' }),
    ...fieldSchemas
  }),
  { $id: 'ContactDto' }
)

export function toContactView(contact: Contact): Static<typeof ContactView> {
  return { id: contact.id, tel: contact.phone, ...toWireFields(contact) }
}

export function toContactWithListView(contact: Contact): Static<typeof ContactWithListView> {
  return { id: contact.id, contactlist_id: contact.listId, tel: contact.phone, ...toWireFields(contact) }
}

function toWireFields(contact: ContactFields): Record<WireField, string> {
  const fields = {} as Record<WireField, string>
  for (const [wire, field] of CONTACT_FIELDS) fields[wire] = contact[field] ?? ''
  return fields
}

export function fromWireFields(input: Partial<Record<WireField, string>>): ContactFields {
  const fields: ContactFields = {}
  for (const [wire, field] of CONTACT_FIELDS) {
    const value = input[wire]
    if (value !== undefined) fields[field] = value
  }
  return fields
}

export const contactExample: Static<typeof ContactWithListView> = {
  ...toContactWithListView({
    id: 501,
    listId: 3,
    phone: '+33639980001',
    lastName: 'Martin',
    firstName: 'Léa',
    city: 'Lyon'
  })
}
