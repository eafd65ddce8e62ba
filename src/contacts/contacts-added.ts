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
    not_mobile: Type.Integer({
      description: 'Entries whose number can’t receive SMS, such as a landline. They are stored all the same.'
    }),
    errors: LeftOutAskedView
  },
  { $id: 'ContactsAddedRo' }
)

export type ContactsAdded = Static<typeof ContactsAddedView>

export function toMessage({
  added,
  updated,
  duplicates,
  invalid,
  not_mobile: notMobile
}: Omit<ContactsAdded, 'success' | 'message' | 'errors'>): string {
  const landlines = notMobile > 0 ? ` ${notMobile} of the numbers can’t receive SMS.` : ''
  return `${added} contacts added, ${updated} updated, ${duplicates} repeated, ${invalid} invalid.${landlines}`
}
