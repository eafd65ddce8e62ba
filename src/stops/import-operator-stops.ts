import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { upload } from '../http/upload.ts'
import { createLeftOut } from '../spreadsheets/left-out.ts'
import { numberedRows } from '../spreadsheets/numbered-rows.ts'
import { openSpreadsheet } from '../spreadsheets/spreadsheet.ts'
import { AddedByFile, addedExample, toAddedByFile, toCopied } from './imported-numbers.ts'
import { Reason } from './operator-stop.ts'
import { insertImportedOperatorStops } from './operator-stops.store.ts'

export const importOperatorStops = upload({
  route: 'POST /stops/operator/file',
  id: 'importOperatorStops',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Add numbers to the operator’s list by file (operator)',
  description:
    'Puts all numbers of a file on the list of numbers that no account may write to, in one transaction. The column of the numbers is found as for STOPs.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB.',
  body: Type.Object({ reason: Reason }, { $id: 'OperatorStopsFileDto' }),
  answer: AddedByFile,
  example: { body: { reason: 'List of the carrier' }, answer: addedExample },
  refusals: OPERATOR_ONLY,
  async handle({ caller, body, file, database, record }) {
    refuseUnlessOperator(caller)
    const leftOut = createLeftOut()
    const sheet = await openSpreadsheet(file, caller)
    const imported = await database.begin(async (database) => {
      const batches = toCopied(numberedRows(sheet, caller.country, leftOut))
      const imported = await insertImportedOperatorStops(database, { reason: body.reason ?? '', batches })
      await record(database, { changes: { added: [0, imported.added] } })
      return imported
    })
    return toAddedByFile(imported, leftOut)
  }
})
