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

/** Messages of which something may leave, or come back and leave again; of all accounts. */
export async function listUnfinished(sql: Sql): Promise<{ accountId: number; id: number }[]> {
  return sql`
    select account_id, id
    from messages
    where paused_at is null
      and (
        (state in ('scheduled', 'sending') and scheduled_at <= now() and cancelled_at is null)
        or (account_id, id) in (select account_id, message_id from rcs_waits)
      )
      and (account_id, id) not in (select account_id, message_id from departures where problem is null)
    order by account_id, id
  `
}

/** Automations whose time has come; of all accounts. */
export async function listOverdueAutomations(
  sql: Sql
): Promise<{ accountId: number; id: number; schedule: string; timeZone: string }[]> {
  return sql`
    select account_id, automations.id, schedule, accounts.time_zone
    from automations
    join accounts on accounts.id = account_id
    where next_at <= now()
    order by account_id, automations.id
  `
}
