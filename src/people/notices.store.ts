import type { Sql } from '../database/database.ts'

/** Processes hold callers in memory for a few seconds; these notices make them look again. Each comes with the commit. */
export const CALLERS_CHANGED = 'callers_changed'

export async function notifyAccountChanged(sql: Sql, accountId: number): Promise<void> {
  await sql`select pg_notify(${CALLERS_CHANGED}, ${`account ${accountId}`})`
}

/** The account is suspended, resumed or closed. */
export async function notifyStandingChanged(sql: Sql, accountId: number): Promise<void> {
  await sql`select pg_notify(${CALLERS_CHANGED}, ${`standing ${accountId}`})`
}

export async function notifyPersonChanged(sql: Sql, personId: number): Promise<void> {
  await sql`select pg_notify(${CALLERS_CHANGED}, ${`person ${personId}`})`
}
