import type { Pool } from '../../src/database/database.ts'

/** A row as text, without the moments at which a key or a session was last used: any request may move those. */
const row = `(to_jsonb(t) - array['last_used_at', 'last_seen_at'])::text`

/** What customers' tables hold, a hash for each. What belongs to nobody (binds, rates, keys) moves by itself and is left out. */
export async function fingerprint(pool: Pool): Promise<Record<string, string>> {
  const tables = await listTables(pool)
  const query = tables
    .filter(({ isOwned }) => isOwned)
    .map(
      ({ name }) =>
        `select '${name}' as name, coalesce(md5(string_agg(${row}, ' ' order by ${row})), '') as hash from ${name} t`
    )
    .join(' union all ')
  const rows = await pool.unsafe<{ name: string; hash: string }[]>(query)
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]))
}

/** The rows of every table in which one of these texts stands, in whatever column. */
export async function findRows(pool: Pool, texts: string[]): Promise<{ name: string; rows: string[] }[]> {
  const found: { name: string; rows: string[] }[] = []
  for (const { name } of await listTables(pool)) {
    const query = `select t::text as row from ${name} t where t::text like any($1)`
    const rows = await pool.unsafe<{ row: string }[]>(query, [texts.map((text) => `%${text}%`)])
    found.push({ name, rows: rows.map(({ row }) => row) })
  }
  return found
}

function listTables(pool: Pool) {
  return pool<{ name: string; isOwned: boolean }[]>`
    select table_name as name,
      table_name = 'accounts' or exists (
        select from information_schema.columns c where c.table_name = t.table_name and c.column_name = 'account_id'
      )
      -- A worker sums up the ledger in these whenever it likes.
      and table_name not like 'credit_figure%' as is_owned
    from information_schema.tables t
    where table_schema = 'public' and table_type = 'BASE TABLE'
    order by 1
  `
}
