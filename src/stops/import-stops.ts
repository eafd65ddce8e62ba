import Type from 'typebox'
import type { CopiedRow } from '../database/copy-rows.ts'
import { upload } from '../http/operation.ts'
import { createLeftOut, LeftOutView } from '../spreadsheets/left-out.ts'
import { type NumberedRow, numberedRows } from '../spreadsheets/numbered-rows.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { insertImportedStops } from './stops.store.ts'

export const importStops = upload({
  route: 'POST /stops/file',
  id: 'importStops',
  tag: 'Stops',
  permission: 'contacts',
  summary: 'Add STOPs by file',
  description:
    'Opts all numbers of a file out, in one transaction. The column of the numbers is the one titled `recipient`, `tel`, `phone`, `mobile` or `telephone`, or else the first that holds numbers. A number that is out already, also by an earlier line, is counted as existing.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB.',
  body: Type.Object({}, { $id: 'StopsFileUploadDto' }),
  answer: Type.Object({
    success: Type.Boolean(),
    message: Type.String(),
    added: Type.Integer(),
    existing: Type.Integer({ description: 'Numbers that were opted out already.' }),
    invalid: Type.Integer({ description: 'Lines without a valid number.' }),
    errors: LeftOutView
  }),
  example: {
    body: {},
    answer: {
      success: true,
      message: '120 STOPs added, 3 there already, 0 invalid.',
      added: 120,
      existing: 3,
      invalid: 0,
      errors: []
    }
  },
  async handle({ caller: { accountId, country }, file, database, record }) {
    const leftOut = createLeftOut()
    const sheet = await openSpreadsheet(file, { country })
    const { rows, added } = await database.begin(async (database) => {
      const batches = toCopied(numberedRows(sheet, country, leftOut))
      const imported = await insertImportedStops(database, { accountId, batches })
      await record(database, { changes: { added: [0, imported.added] } })
      return imported
    })
    const counts = { added, existing: rows - added, invalid: leftOut.invalid }
    const message = `${added} STOPs added, ${counts.existing} there already, ${counts.invalid} invalid.`
    return { success: true, message, ...counts, errors: leftOut.errors() }
  }
})

async function* toCopied(rows: AsyncIterable<NumberedRow[]>): AsyncGenerator<CopiedRow[]> {
  for await (const batch of rows) yield batch.map(({ line, phone }) => [line, phone])
}
