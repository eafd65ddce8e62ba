import Type, { type Static } from 'typebox'
import { LeftOutAskedView } from '../spreadsheets/left-out.ts'

export const ContactsAddedView = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    added: Type.Integer(),
    updated: Type.Integer({ description: 'Numbers that the list had already.' }),
    duplicates: Type.Integer({ description: 'Numbers repeated in this call; the first counts.' }),
    invalid: Type.Integer({ description: 'Entries without a valid number.' }),
    errors: LeftOutAskedView
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
