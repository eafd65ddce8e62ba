import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import type { Sql } from '../database/database.ts'
import { upload } from '../http/upload.ts'
import { columnKey, placeOf } from '../spreadsheets/columns.ts'
import { counted } from '../spreadsheets/counted.ts'
import { createLeftOut, LeftOutView } from '../spreadsheets/left-out.ts'
import { badFile } from '../spreadsheets/row.ts'
import { openTable, type Table } from '../spreadsheets/spreadsheet.ts'
import { senderKey } from './sender-key.ts'
import {
  findAccountIds,
  LIST_KINDS,
  type ListKind,
  type NewListEntry,
  upsertListEntries
} from './sender-lists.store.ts'

const ENTRIES_MAX = 20_000
/** What a sender can be, and no less than a word of two letters. */
const NAME = /^[\p{L}\p{N} ._+&-]{2,30}$/u

export const importSenderList = upload({
  route: 'POST /sender-lists/file',
  id: 'importSenderList',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Import forbidden and reserved names (operator)',
  description:
    'Adds the names of a file to the lists, in one transaction; a name that is there already is replaced. Its first line holds the titles, of which `name` is required; a file of one column is a list of forbidden names. `kind` is `forbidden` (the default), `word` or `reserved`; `account` is the id of the account that a name is reserved for; `note` is for people.',
  file: 'CSV (separated by `,`, `;` or tab), TXT with one name a line, or XLSX (its first sheet); up to 20,000 names.',
  body: Type.Object({}, { $id: 'SenderListUpload' }),
  answer: Type.Object(
    {
      success: Type.Boolean(),
      message: Type.String(),
      added: Type.Integer(),
      updated: Type.Integer(),
      invalid: Type.Integer({ description: 'Lines that were left out.' }),
      errors: LeftOutView
    },
    { $id: 'SenderListImported' }
  ),
  example: {
    body: {},
    answer: {
      success: true,
      message: '12 names added, 1 replaced, 0 invalid.',
      added: 12,
      updated: 1,
      invalid: 0,
      errors: []
    }
  },
  refusals: OPERATOR_ONLY,
  async handle({ caller, file, database, record }) {
    refuseUnlessOperator(caller)
    const leftOut = createLeftOut()
    const rows = await readEntries(await openTable(file, { country: caller.country }), leftOut)
    return database.begin(async (database) => {
      const entries = await withoutUnknownAccounts(database, rows, leftOut)
      const added = await upsertListEntries(database, entries)
      const updated = entries.length - added
      await record(database, { changes: { added: [0, added], updated: [0, updated] } })
      const message = `${counted(added, 'name')} added, ${updated} replaced, ${leftOut.invalid} invalid.`
      return { success: true, message, added, updated, invalid: leftOut.invalid, errors: leftOut.errors() }
    })
  }
})

const NAME_TITLES: [string, ...string[]] = ['name', 'nom', 'sender']

type LeftOut = ReturnType<typeof createLeftOut>
type ReadEntry = NewListEntry & { line: number }

/** Of a name that is given twice, the last line counts. */
async function readEntries({ columns, rows }: Table, leftOut: LeftOut): Promise<Map<string, ReadEntry>> {
  // A single column is a list of names, with or without a title.
  const isPlainList = columns.length === 1
  const [name, kind, account, note] = [
    isPlainList ? 0 : placeOf(columns, ...NAME_TITLES),
    placeOf(columns, 'kind', 'type'),
    placeOf(columns, 'account', 'accountid', 'compte'),
    placeOf(columns, 'note')
  ]
  if (name < 0) throw badFile('has no column name: its first line must hold the titles, such as name;kind;account;note')
  const entries = new Map<string, ReadEntry>()
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      const cell = (index: number) => (index < 0 ? '' : (cells[index] ?? '').trim())
      if (isPlainList && NAME_TITLES.includes(columnKey(cell(name)))) continue
      const read = readEntry({ name: cell(name), kind: cell(kind), account: cell(account), note: cell(note) })
      if (typeof read === 'string') leftOut.addInvalid(line, cell(name), read)
      else entries.set(senderKey(read.name), { ...read, line })
      if (entries.size > ENTRIES_MAX) throw badFile(`has more than ${ENTRIES_MAX} names`, line)
    }
  }
  return entries
}

/** An entry, or why a line is none. */
function readEntry(row: { name: string; kind: string; account: string; note: string }): NewListEntry | string {
  const kind = (row.kind.toLowerCase() || 'forbidden') as ListKind
  if (!NAME.test(row.name)) return 'no name of 2 to 30 characters, such as MYBANK'
  if (!LIST_KINDS.includes(kind)) return `kind must be ${LIST_KINDS.join(', ')}`
  if ((kind === 'reserved') !== (row.account !== '')) {
    return kind === 'reserved' ? 'a reserved name needs an account' : 'only a reserved name has an account'
  }
  if (row.account !== '' && !/^[1-9]\d{0,14}$/.test(row.account)) return 'account must be an id, such as 12'
  const accountId = row.account === '' ? null : Number(row.account)
  return { name: row.name, kind, accountId, note: row.note.slice(0, 500) }
}

async function withoutUnknownAccounts(
  sql: Sql,
  entries: ReadonlyMap<string, ReadEntry>,
  leftOut: LeftOut
): Promise<NewListEntry[]> {
  const ids = [...entries.values()].flatMap(({ accountId }) => accountId ?? [])
  const known = ids.length === 0 ? new Set<number>() : await findAccountIds(sql, [...new Set(ids)])
  return [...entries.values()].filter(({ accountId, line, name }) => {
    if (accountId === null || known.has(accountId)) return true
    leftOut.addInvalid(line, name, `there is no account ${accountId}`)
    return false
  })
}
