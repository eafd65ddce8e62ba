import Type, { type Static } from 'typebox'

export interface ContactList {
  id: number
  name: string
  contactsCount: number
  rcsCapability: 'unknown' | 'checking' | 'ready'
  createdAt: Date
}

export const ContactListInput = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 255 }) },
  { $id: 'ContactlistsDto' }
)

export const ContactListView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    contacts_count: Type.Integer(),
    rcsCapabilityStatus: Type.Enum(['unknown', 'checking', 'ready'], {
      description: 'The state of the check which of its numbers can receive RCS.'
    }),
    created_at: Type.String({ format: 'date-time' })
  },
  { $id: 'Contactlists' }
)

export const Removed = (name: string) => Type.Object({ success: Type.Boolean(), message: Type.String() }, { $id: name })

export function toContactListView(list: ContactList): Static<typeof ContactListView> {
  return {
    id: list.id,
    name: list.name,
    contacts_count: list.contactsCount,
    rcsCapabilityStatus: list.rcsCapability,
    created_at: list.createdAt.toISOString()
  }
}

export const contactListExample: Static<typeof ContactListView> = {
  id: 3,
  name: 'Clients de Lyon',
  contacts_count: 1250,
  rcsCapabilityStatus: 'unknown',
  created_at: '2026-11-15T09:30:00.000Z'
}
