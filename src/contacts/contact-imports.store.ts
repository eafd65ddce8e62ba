import { type CopiedRow, copyRows } from '../database/copy-rows.ts'
import { liftStatementTimeout, type Sql } from '../database/database.ts'
import { type ContactField, columnOf } from './contact.ts'

/*
 * A file on its way into a list. COPY fills a temporary table; then one statement drops repeats and adds or updates the rest.
 * The table ends with the transaction.
 */

const COLUMNS = ['line', 'phone']

/** Makes the table, and lets this transaction run for as long as a million rows take. */
export async function createImport(sql: Sql, fields: readonly ContactField[]): Promise<void> {
  await liftStatementTimeout(sql)
  // A sort of a million numbers; the default would write it to disk in pieces.
  await sql`set local work_mem = '64MB'`
  const columns = fields.map((field) => `, ${columnOf(field)} text`).join('')
  await sql.unsafe(
    `create temporary table imported_contacts (line bigint not null, phone text not null${columns}) on commit drop`
  )
}

/** Each row: its line, its number, then the fields in their order. */
export async function copyIntoImport(
  sql: Sql,
  fields: readonly ContactField[],
  batches: AsyncIterable<CopiedRow[]>
): Promise<void> {
  await copyRows(sql, { table: 'imported_contacts', columns: [...COLUMNS, ...fields.map(columnOf)] }, batches)
}

/** Of a repeated number the first line counts. Contacts are written in the order of their numbers, as by all writers. */
export async function upsertImport(
  sql: Sql,
  { accountId, listId, fields }: { accountId: number; listId: number; fields: readonly ContactField[] }
): Promise<{ rows: number; added: number; updated: number; firstId: number | null }> {
  const columns = fields.map(columnOf)
  const [row] = await sql.unsafe<[{ rows: number; added: number; updated: number; firstId: number | null }]>(
    `
      with written as (
        insert into contacts (account_id, id, list_id, phone${columns.map((column) => `, ${column}`).join('')})
        select $1::bigint, nextval('contact_ids'), $2::bigint, phone${columns.map((column) => `, ${column}`).join('')}
        from (
          select distinct on (phone) *
          from imported_contacts
          order by phone, line
        ) as given
        on conflict (account_id, list_id, phone) do update
        set phone = excluded.phone${columns.map((column) => `, ${column} = coalesce(excluded.${column}, contacts.${column})`).join('')}
        returning id, xmax = 0 as is_added
      )
      select
        (select count(*) from imported_contacts) as rows,
        count(*) filter (where is_added) as added,
        count(*) filter (where not is_added) as updated,
        min(id) filter (where is_added) as first_id
      from written
    `,
    [accountId, listId]
  )
  return row
}

/** The first lines whose number had come before. */
export async function listRepeatedLines(sql: Sql, limit: number): Promise<{ line: number; phone: string }[]> {
  return sql<{ line: number; phone: string }[]>`
    select line, phone
    from (
      select line, phone, row_number() over (partition by phone order by line) as place
      from imported_contacts
    ) as placed
    where place > 1
    order by line
    limit ${limit}
  `
}
