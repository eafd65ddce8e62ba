import type { Sql } from '../database/database.ts'

/** The number of rows of each table. Every row is read, so a page that is damaged is found. */
export async function countRows(sql: Sql): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = current_schema::regnamespace
      and relkind in ('r', 'p')
      and relpersistence = 'p'
      and not relispartition
    order by relname
  `
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await sql<[{ count: number }]>`select count(*) as count from ${sql(name)}`
    counts[name] = row.count
  }
  return counts
}

/** Whether another process of Chappe is connected. A pooler in between hides them. */
export async function isChappeConnected(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select
    from pg_stat_activity
    where datname = current_database()
      and pid <> pg_backend_pid()
      and application_name ~ '^chappe [0-9]+( |$)'
    limit 1
  `
  return rows.length > 0
}

/** Whether Chappe has ever run on this database. */
export async function isOfChappe(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ isThere: boolean }]>`select to_regclass('credit_balances') is not null as is_there`
  return row.isThere
}

/** Messages of which something may leave, or come back and leave again; of all accounts. `isAll`: also those that leave later. */
export async function listUnfinished(
  sql: Sql,
  { isAll }: { isAll: boolean }
): Promise<{ accountId: number; id: number }[]> {
  return sql`
    select account_id, id
    from messages
    where paused_at is null
      and (
        (state in ('scheduled', 'sending') and (scheduled_at <= now() or ${isAll}) and cancelled_at is null)
        or (account_id, id) in (select account_id, message_id from rcs_waits)
      )
      and (account_id, id) not in (
        select account_id, message_id
        from departures
        where problem is null
          and (due_at <= now() or not ${isAll})
      )
    order by account_id, id
  `
}

/** Automations whose time has come; of all accounts. */
export async function listOverdueAutomations(
  sql: Sql
): Promise<{ accountId: number; id: number; schedule: string; isOnce: boolean; timeZone: string }[]> {
  return sql`
    select account_id, automations.id, schedule, is_once, accounts.time_zone
    from automations
    join accounts on accounts.id = account_id
    where next_at <= now()
    order by account_id, automations.id
  `
}
