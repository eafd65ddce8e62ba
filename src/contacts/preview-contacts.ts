import Type from 'typebox'
import { upload } from '../http/upload.ts'
import { Nullable } from '../schemas/nullable.ts'
import { openTable, type Table } from '../spreadsheets/spreadsheet.ts'
import { CONTACT_FIELDS, type WireField } from './contact.ts'
import { toContactColumns } from './contact-columns.ts'

const ROWS_MAX = 10
/** Enough to recognise a cell; the answer must not repeat the whole file. */
const CELL_LENGTH_MAX = 255

export const previewContacts = upload({
  route: 'POST /contacts/file/preview',
  id: 'previewContacts',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'See how a file of contacts would be read',
  description:
    'Reads the beginning of a file as `POST /contacts/file` would, and stores nothing: its columns, the field that each would go to without a `mapping`, and the first rows. A file in which no phone numbers are found is shown too, without a column for `tel`: an import of it needs a `mapping` that says where they are.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB. Encodings: UTF-8, UTF-16, Windows-1252.',
  body: Type.Object({}, { $id: 'ContactsFilePreviewDto' }),
  answer: Type.Object(
    {
      columns: Type.Array(
        Type.Object({
          name: Type.String({ description: 'Its title; empty in a file without a header.' }),
          field: Nullable(
            Type.Unsafe<'tel' | WireField>({
              type: 'string',
              enum: ['tel', ...CONTACT_FIELDS.map(([wire]) => wire), null],
              description: 'The field of this column; null if the column would be left out.'
            })
          )
        })
      ),
      rows: Type.Array(Type.Array(Type.String()), {
        maxItems: ROWS_MAX,
        description: 'The first 10 rows below the header, a cell for each column, cut after 255 characters.'
      })
    },
    { $id: 'ContactsFilePreview' }
  ),
  example: {
    body: {},
    answer: {
      columns: [
        { name: 'Portable', field: 'tel' },
        { name: 'Nom', field: 'champ_nom' },
        { name: 'Couleur', field: null }
      ],
      rows: [['06 39 98 00 01', 'Martin', 'bleu']]
    }
  },
  async handle({ caller, file }) {
    const table = await openTable(file, { country: caller.country })
    const { fields } = toContactColumns(table.columns, table.numberColumn, undefined)
    const fieldAt = new Map<number, WireField>(fields.map(({ wire, position }) => [position, wire]))
    return {
      columns: table.columns.map((column) => ({
        name: column.name,
        field: column === table.numberColumn ? ('tel' as const) : (fieldAt.get(column.position) ?? null)
      })),
      rows: await firstRows(table)
    }
  }
})

async function firstRows({ columns, rows }: Table): Promise<string[][]> {
  const first: string[][] = []
  for await (const batch of rows) {
    for (const { cells } of batch.slice(0, ROWS_MAX - first.length)) {
      first.push(columns.map(({ position }) => (cells[position - 1] ?? '').slice(0, CELL_LENGTH_MAX)))
    }
    if (first.length === ROWS_MAX) break
  }
  return first
}
