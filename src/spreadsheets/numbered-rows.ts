import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { createBreath } from '../workers/breath.ts'
import type { createLeftOut } from './left-out.ts'
import type { Row } from './row.ts'
import type { Spreadsheet } from './spreadsheet.ts'

/** A row and the number in it. */
export interface NumberedRow extends Row {
  phone: string
  /** The number as it stands in the file. */
  text: string
  /** Not for a landline. */
  canReceiveSms: boolean
}

/** The rows that have a valid number; the others are left out. Reading a text that is no number is slow, so it pauses. */
export async function* numberedRows(
  { rows, numberColumn }: Spreadsheet,
  country: string,
  leftOut: ReturnType<typeof createLeftOut>
): AsyncGenerator<NumberedRow[]> {
  const breathe = createBreath()
  for await (const batch of rows) {
    const numbered: NumberedRow[] = []
    for (const { line, cells } of batch) {
      await breathe()
      const text = cells[numberColumn.position - 1] ?? ''
      const number = parsePhoneNumber(text, country)
      if (number) numbered.push({ line, cells, phone: number.e164, text, canReceiveSms: number.canReceiveSms })
      else leftOut.addInvalid(line, text)
    }
    yield numbered
  }
}
