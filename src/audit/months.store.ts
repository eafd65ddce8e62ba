import type { Sql } from '../database/database.ts'

const MONTHS_LOCK = 7_267_733_034

/** The first days of the months that have a partition. */
export async function listMonths(sql: Sql): Promise<Date[]> {
  const rows = await sql<{ month: Date }[]>`
    select to_timestamp(substring(inhrelid::regclass::text from '\\d{4}_\\d{2}$') || ' +00', 'YYYY_MM TZH') as month
    from pg_inherits
    where inhparent = 'audit_entries'::regclass
      and inhrelid::regclass::text ~ '\\d{4}_\\d{2}$'
    order by 1
  `
  return rows.map(({ month }) => month)
}

export async function addMonth(sql: Sql, month: Date): Promise<void> {
  await sql`select add_audit_month(${month.toISOString().slice(0, 10)}::date)`
}

export async function dropMonth(sql: Sql, month: Date): Promise<void> {
  const [year, number] = month.toISOString().split('-')
  await sql.unsafe(`drop table if exists audit_entries_${year}_${number}`)
}

/** The newest entry that no month had a place for. */
export async function findLastStray(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ last: Date | null }]>`
    select max(created_at) as last
    from audit_entries_default
  `
  return row.last ?? undefined
}

/** Drops the entries that no month had a place for, unless one has come since `oldest`. */
export async function dropStrays(sql: Sql, oldest: Date): Promise<void> {
  // From here on writers wait, so no entry comes.
  await sql`alter table audit_entries detach partition audit_entries_default`
  const last = await findLastStray(sql)
  if (last && last >= oldest) {
    await sql`alter table audit_entries attach partition audit_entries_default default`
    return
  }
  await sql`drop table audit_entries_default`
  await sql`select add_audit_partition('audit_entries_default', 'default')`
}

/** One process at a time changes the months: `drop table if exists` fails where another process drops that table meanwhile. */
export async function lockMonths(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MONTHS_LOCK})`
}
