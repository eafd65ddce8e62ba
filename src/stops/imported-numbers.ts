import Type, { type Static } from 'typebox'
import type { CopiedRow } from '../database/copy-rows.ts'
import { type createLeftOut, LeftOutView } from '../spreadsheets/left-out.ts'
import type { NumberedRow } from '../spreadsheets/numbered-rows.ts'

/** The answer to a file of numbers that are opted out. */
export const AddedByFile = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  added: Type.Integer(),
  existing: Type.Integer({ description: 'Numbers that were opted out already.' }),
  invalid: Type.Integer({ description: 'Lines without a valid number.' }),
  errors: LeftOutView
})

export const addedExample: Static<typeof AddedByFile> = {
  success: true,
  message: '120 STOPs added, 3 there already, 0 invalid.',
  added: 120,
  existing: 3,
  invalid: 0,
  errors: []
}

export function toAddedByFile(
  { rows, added }: { rows: number; added: number },
  leftOut: ReturnType<typeof createLeftOut>
): Static<typeof AddedByFile> {
  const counts = { added, existing: rows - added, invalid: leftOut.invalid }
  const message = `${added} STOPs added, ${counts.existing} there already, ${counts.invalid} invalid.`
  return { success: true, message, ...counts, errors: leftOut.errors() }
}

/** A row is a line and a number. */
export async function* toCopied(rows: AsyncIterable<NumberedRow[]>): AsyncGenerator<CopiedRow[]> {
  for await (const batch of rows) yield batch.map(({ line, phone }) => [line, phone])
}
