import Type from 'typebox'
import { LeftOutView } from '../spreadsheets/left-out.ts'

export const ConsentsAddedView = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    added: Type.Integer(),
    existing: Type.Integer({ description: 'Consents that held already, also by an earlier entry.' }),
    invalid: Type.Integer({ description: 'Entries without a valid number, or with another fault.' }),
    errors: LeftOutView
  },
  { $id: 'ConsentsAdded' }
)

export function toAddedMessage(counts: { added: number; existing: number; invalid: number }): string {
  return `${counts.added} consents added, ${counts.existing} there already, ${counts.invalid} invalid.`
}
