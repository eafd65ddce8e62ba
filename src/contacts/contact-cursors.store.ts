import { openCursor } from '../database/cursors.ts'
import type { Sql } from '../database/database.ts'
import { type ContactField, columnOf } from './contact.ts'

/** How many contacts a fetch brings. */
const FETCH = 2_000

export interface WantedContacts {
  accountId: number
  listIds: readonly number[]
  fields: readonly (ContactField | 'phone')[]
}

/**
 * Opens a cursor on all contacts of some lists as they are at this moment: later additions, changes and deletions do not show.
 * Must run in a transaction.
 */
export async function openContactsOfLists(sql: Sql, { accountId, listIds, fields }: WantedContacts): Promise<void> {
  const columns = ['phone', ...fields.map((field) => (field === 'phone' ? 'phone' : columnOf(field)))]
  // The query of a cursor takes no parameters; these are our own numbers and column names.
  for (const listId of listIds) {
    await openCursor(
      sql,
      cursorOf(listId),
      `
        select array[${columns.map((column) => `coalesce(${column}, '')`).join(', ')}] as fields
        from contacts
        where account_id = ${Math.trunc(accountId)}
          and list_id = ${Math.trunc(listId)}
        order by id
      `
    )
  }
}

/**
 * Reads the contacts of the cursor, list by list and oldest first. Each row is the number and then the fields asked for. A field
 * that was never given is empty.
 */
export async function* readOpenedContacts(
  sql: Sql,
  { listIds }: Pick<WantedContacts, 'listIds'>
): AsyncGenerator<string[][]> {
  for (const listId of listIds) {
    while (true) {
      const rows = await sql.unsafe<{ fields: string[] }[]>(`fetch ${FETCH} from ${cursorOf(listId)}`)
      if (rows.length > 0) yield rows.map(({ fields }) => fields)
      if (rows.length < FETCH) break
    }
    await sql.unsafe(`close ${cursorOf(listId)}`)
  }
}

function cursorOf(listId: number): string {
  return `contacts_of_${Math.trunc(listId)}`
}
