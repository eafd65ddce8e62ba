import Type, { type Static } from 'typebox'

/** How many entries that were left out are named. */
export const ERRORS_MAX = 100

export const ContactsAddedView = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    added: Type.Integer(),
    updated: Type.Integer({ description: 'Numbers that the list had already.' }),
    duplicates: Type.Integer({ description: 'Numbers repeated in this call; the first counts.' }),
    invalid: Type.Integer({ description: 'Entries whose number is none.' }),
    errors: Type.Array(Type.Object({ line: Type.Integer(), value: Type.String(), reason: Type.String() }), {
      maxItems: ERRORS_MAX,
      description: 'The first 100 entries that were left out; `line` is the position, from 1.'
    })
  },
  { $id: 'ContactsAddedRo' }
)

export type ContactsAdded = Static<typeof ContactsAddedView>

export function toMessage({
  added,
  updated,
  duplicates,
  invalid
}: Omit<ContactsAdded, 'success' | 'message' | 'errors'>): string {
  return `${added} contacts added, ${updated} updated, ${duplicates} repeated, ${invalid} invalid.`
}
