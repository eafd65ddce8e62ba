import Type from 'typebox'
import type { CopiedRow } from '../database/copy-rows.ts'
import type { Database } from '../database/database.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { invalidInput, notFound } from '../errors.ts'
import { upload } from '../http/upload.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { createLeftOut, LEFT_OUT_ASKED_MAX, LEFT_OUT_MAX } from '../spreadsheets/left-out.ts'
import { type NumberedRow, numberedRows } from '../spreadsheets/numbered-rows.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { FIELD_LENGTH_MAX } from './contact.ts'
import { type ContactColumns, type Mapping, mappedNumberColumn, toContactColumns } from './contact-columns.ts'
import { copyIntoImport, createImport, listRepeatedLines, upsertImport } from './contact-imports.store.ts'
import { findList, updateAfterAdding } from './contact-lists.store.ts'
import { ContactsAddedView, toMessage } from './contacts-added.ts'

const TRIES_MAX = 3

export const importContacts = upload({
  route: 'POST /contacts/file',
  id: 'importContacts',
  tag: 'Contacts',
  permission: 'contacts',
  summary: 'Add contacts by file',
  description:
    'Adds contacts from a file to a list, all of them in one transaction: a file that is broken somewhere changes nothing. Columns are recognised by their titles (`mobile`, `nom`, `prénom`, `email`, `code postal`, `ville`, `date`, `perso1`, …, or the field names), or as `mapping` says. Without a header, and without a mapping by position, only the numbers are taken. An empty cell leaves what is stored as it is. `line` in the errors is the line of the file.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB. Encodings: UTF-8, UTF-16, Windows-1252.',
  body: Type.Object(
    {
      contactlist_id: Type.Integer({ minimum: 1, maximum: ID_MAX }),
      mapping: Type.Optional(
        Type.Record(Type.String({ maxLength: 255 }), Type.String({ maxLength: 255 }), {
          type: 'object',
          maxProperties: 100,
          description:
            'JSON: the title of a column, or its position from 1, → its field (`tel`, `champ_nom`, …). Columns that it does not name are left out.'
        })
      ),
      errors: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LEFT_OUT_ASKED_MAX,
          default: LEFT_OUT_MAX,
          description: 'How many of the rows that are left out are named at most.'
        })
      )
    },
    { $id: 'ContactsInsertByFileDto' }
  ),
  answer: ContactsAddedView,
  example: {
    body: { contactlist_id: 3, mapping: { Portable: 'tel', 'Nom du client': 'champ_nom' } },
    answer: {
      success: true,
      message: '1250 contacts added, 0 updated, 0 repeated, 1 invalid.',
      added: 1250,
      updated: 0,
      duplicates: 0,
      invalid: 1,
      not_mobile: 0,
      errors: [{ line: 17, value: '06', reason: 'not a phone number' }]
    }
  },
  refusals: { not_found: 'There is no such contact list.' },
  async handle({ caller, body, file, database, record, isGone }) {
    const key = { accountId: caller.accountId, id: body.contactlist_id }
    // On a cluster, a change of a number does not always give way in a deadlock.
    return retryBusy(TRIES_MAX, () =>
      database.begin(async (database) => {
        if (!(await findList(database, key))) throw notFound('contact list')
        const { mapping, errors: namedMax = LEFT_OUT_MAX } = body
        const imported = await importFile(database, { file, key, country: caller.country, mapping, namedMax, isGone })
        await record(database, {
          object: { kind: 'contact_list', id: key.id },
          changes: { added: [0, imported.added], updated: [0, imported.updated] }
        })
        return imported
      })
    )
  }
})

interface Import {
  file: UploadedFile
  key: { accountId: number; id: number }
  country: string
  mapping: Mapping | undefined
  namedMax: number
  /** Whether nobody waits for the answer any more: then nothing is stored. */
  isGone(): boolean
}

async function importFile(database: Database, { file, key, country, mapping, namedMax, isGone }: Import) {
  const sheet = await openSpreadsheet(file, { country, numberColumn: mappedNumberColumn(mapping) })
  const columns = toContactColumns(sheet.columns, sheet.numberColumn, mapping)
  const fields = columns.fields.map(({ field }) => field)
  const leftOut = createLeftOut(namedMax)

  await createImport(database, fields)
  const tally = { notMobile: 0 }
  const rowsOfFile = untilGone(numberedRows(sheet, country, leftOut), isGone)
  await copyIntoImport(database, fields, toCopied(rowsOfFile, columns, { leftOut, tally }))
  const target = { accountId: key.accountId, listId: key.id, fields }
  const { rows, added, updated, firstId } = await upsertImport(database, target)
  if (isGone()) throw cutOff()
  const duplicates = rows - added - updated
  for (const { line, phone } of duplicates > 0 ? await listRepeatedLines(database, namedMax) : []) {
    leftOut.addRepeated(line, phone)
  }
  if (!(await updateAfterAdding(database, key, { count: added, firstId }))) throw notFound('contact list')

  const counts = { added, updated, duplicates, invalid: leftOut.invalid, not_mobile: tally.notMobile }
  const unused = columns.unused.length > 0 ? ` Columns left out: ${columns.unused.join(', ').slice(0, 500)}.` : ''
  return { success: true, message: toMessage(counts) + unused, ...counts, errors: leftOut.errors() }
}

/** Ends an import that its client has cancelled, so that its transaction is rolled back. */
async function* untilGone<T>(batches: AsyncIterable<T>, isGone: () => boolean): AsyncGenerator<T> {
  for await (const batch of batches) {
    if (isGone()) throw cutOff()
    yield batch
  }
}

const cutOff = () => invalidInput([{ path: 'file', message: 'was cancelled before all of it was stored' }])

/** Each row as it is stored: its line, its number, its fields; null for a field that is not given. */
async function* toCopied(
  rows: AsyncIterable<NumberedRow[]>,
  { fields }: ContactColumns,
  { leftOut, tally }: { leftOut: ReturnType<typeof createLeftOut>; tally: { notMobile: number } }
): AsyncGenerator<CopiedRow[]> {
  for await (const batch of rows) {
    const copied: CopiedRow[] = []
    for (const { line, cells, phone, text, canReceiveSms } of batch) {
      if (!canReceiveSms) tally.notMobile++
      const tooLong = fields.find(({ position }) => (cells[position - 1] ?? '').length > FIELD_LENGTH_MAX)
      if (tooLong) leftOut.addInvalid(line, text, `${tooLong.wire} is longer than ${FIELD_LENGTH_MAX} characters`)
      else copied.push([line, phone, ...fields.map(({ position }) => cells[position - 1]?.trim() || null)])
    }
    yield copied
  }
}
