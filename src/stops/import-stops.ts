import Type from 'typebox'
import { upload } from '../http/upload.ts'
import { createLeftOut } from '../spreadsheets/left-out.ts'
import { numberedRows } from '../spreadsheets/numbered-rows.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { AddedByFile, addedExample, toAddedByFile, toCopied } from './imported-numbers.ts'
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
  answer: AddedByFile,
  example: { body: {}, answer: addedExample },
  async handle({ caller: { accountId, country }, file, database, record }) {
    const leftOut = createLeftOut()
    const sheet = await openSpreadsheet(file, { country })
    const imported = await database.begin(async (database) => {
      const batches = toCopied(numberedRows(sheet, country, leftOut))
      const imported = await insertImportedStops(database, { accountId, batches })
      await record(database, { changes: { added: [0, imported.added] } })
      return imported
    })
    return toAddedByFile(imported, leftOut)
  }
})
