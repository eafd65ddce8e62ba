import type { Sql } from '../database/database.ts'
import { type ContactField, columnOf } from './contact.ts'

/** How many contacts a fetch brings. */
const FETCH = 2_000

/**
 * Reads all contacts of some lists, list by list and oldest first, as they are at this moment: what is added or changed while
 * they are read does not show. Must run in a transaction. Each row is the number and then the fields asked for; what was never
 * given is empty (the driver reads a null inside an array as the word NULL).
 */
export async function* readContactsOfLists(
  sql: Sql,
  {
    accountId,
    listIds,
    fields
  }: { accountId: number; listIds: readonly number[]; fields: readonly (ContactField | 'phone')[] }
): AsyncGenerator<string[][]> {
  const columns = ['phone', ...fields.map((field) => (field === 'phone' ? 'phone' : columnOf(field)))]
  // All are opened before the first is read. A cursor's query takes no parameters; these are numbers and names of ours.
  for (const listId of listIds) {
    await sql.unsafe(`
      declare contacts_of_${Math.trunc(listId)} no scroll cursor for
      select array[${columns.map((column) => `coalesce(${column}, '')`).join(', ')}] as fields
      from contacts
      where account_id = ${Math.trunc(accountId)}
        and list_id = ${Math.trunc(listId)}
      order by id
    `)
  }
  for (const listId of listIds) {
    while (true) {
      const rows = await sql.unsafe<{ fields: string[] }[]>(`fetch ${FETCH} from contacts_of_${Math.trunc(listId)}`)
      if (rows.length > 0) yield rows.map(({ fields }) => fields)
      if (rows.length < FETCH) break
    }
    await sql.unsafe(`close contacts_of_${Math.trunc(listId)}`)
  }
}
