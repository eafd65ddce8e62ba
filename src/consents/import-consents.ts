import Type from 'typebox'
import { databaseNow } from '../database/clock.ts'
import type { CopiedRow } from '../database/copy-rows.ts'
import { invalidInput } from '../errors.ts'
import { upload } from '../http/upload.ts'
import { createLeftOut } from '../spreadsheets/left-out.ts'
import { type NumberedRow, numberedRows } from '../spreadsheets/numbered-rows.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { consentFields } from './consent.ts'
import { type ConsentCells, readConsentCells, toConsentColumns } from './consent-columns.ts'
import { insertImportedConsents } from './consents.store.ts'
import { ConsentsAddedView, toAddedMessage } from './consents-added.ts'
import { givenAtProblem } from './given-at.ts'

export const importConsents = upload({
  route: 'POST /consents/file',
  id: 'importConsents',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Add consents by file',
  description:
    'Records the consents of a file, in one transaction. Columns by their titles: the number, `date`, `source`, `wording`, `proof`, `purpose`, `channel` (in French too: `date`, `origine`, `texte`, `preuve`, `finalité`, `canal`). The fields of the form hold for rows whose cell is empty. A row without a date is left out: it would prove nothing. So is one with a date in `withdrawn_at`, which extracts have.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB.',
  body: Type.Object(consentFields, { $id: 'ConsentsFileDto' }),
  answer: ConsentsAddedView,
  example: {
    body: { source: 'form', wording: 'J’accepte de recevoir les offres par SMS.' },
    answer: {
      success: true,
      message: '120 consents added, 3 there already, 0 invalid.',
      added: 120,
      existing: 3,
      invalid: 0,
      errors: []
    }
  },
  async handle({ caller: { accountId, country }, body, file, database, record }) {
    const now = databaseNow()
    const givenAt = body.given_at === undefined ? undefined : new Date(body.given_at)
    const message = givenAt && givenAtProblem(givenAt, now)
    if (message !== undefined) throw invalidInput([{ path: 'given_at', message }])
    const { given_at: _, ...fields } = body
    const leftOut = createLeftOut()
    const sheet = await openSpreadsheet(file, { country })
    const read = readConsentCells(toConsentColumns(sheet), { ...fields, givenAt }, now)
    const { rows, added } = await database.begin(async (database) => {
      const batches = toCopied(numberedRows(sheet, country, leftOut), read, leftOut)
      const imported = await insertImportedConsents(database, { accountId, batches })
      await record(database, { changes: { added: [0, imported.added] } })
      return imported
    })
    const counts = { added, existing: rows - added, invalid: leftOut.invalid }
    return { success: true, message: toAddedMessage(counts), ...counts, errors: leftOut.errors() }
  }
})

async function* toCopied(
  rows: AsyncIterable<NumberedRow[]>,
  read: (cells: readonly string[]) => ConsentCells | { problem: string; value: string },
  leftOut: ReturnType<typeof createLeftOut>
): AsyncGenerator<CopiedRow[]> {
  for await (const batch of rows) {
    yield batch.flatMap(({ line, phone, cells }): CopiedRow[] => {
      const found = read(cells)
      if ('problem' in found) {
        leftOut.addInvalid(line, found.value, found.problem)
        return []
      }
      const { purpose, channel, source, givenAt, wording, proof } = found
      return [[line, phone, purpose, channel, source, givenAt.toISOString(), wording, proof]]
    })
  }
}
