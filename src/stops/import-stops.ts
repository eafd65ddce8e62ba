import Type from 'typebox'
import type { CopiedRow } from '../database/copy-rows.ts'
import { upload } from '../http/operation.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { createLeftOut, LeftOutView } from '../spreadsheets/left-out.ts'
import { openSpreadsheet, type Spreadsheet } from '../spreadsheets/spreadsheet.ts'
import { createBreath } from '../workers/breath.ts'
import { insertImportedStops } from './stops.store.ts'

export const importStops = upload({
  route: 'POST /stops/file',
  id: 'importStops',
  tag: 'Stops',
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
    invalid: Type.Integer({ description: 'Lines whose number is none.' }),
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
  async handle({ caller: { accountId, country }, file, database }) {
    const leftOut = createLeftOut()
    const sheet = await openSpreadsheet(file, { country })
    const { rows, added } = await database.begin((database) =>
      insertImportedStops(database, { accountId, batches: readNumbers(sheet, country, leftOut) })
    )
    const counts = { added, existing: rows - added, invalid: leftOut.invalid }
    const message = `${added} STOPs added, ${counts.existing} there already, ${counts.invalid} invalid.`
    return { success: true, message, ...counts, errors: leftOut.errors() }
  }
})

const BREATHE_EVERY = 50

async function* readNumbers(
  { rows, numberColumn }: Spreadsheet,
  country: string,
  leftOut: ReturnType<typeof createLeftOut>
): AsyncGenerator<CopiedRow[]> {
  const breathe = createBreath()
  for await (const batch of rows) {
    const copied: CopiedRow[] = []
    for (const { line, cells } of batch) {
      if (line % BREATHE_EVERY === 0) await breathe()
      const text = cells[numberColumn.position - 1] ?? ''
      const number = parsePhoneNumber(text, country)
      if (number) copied.push([line, number.e164])
      else leftOut.addInvalid(line, text)
    }
    yield copied
  }
}
