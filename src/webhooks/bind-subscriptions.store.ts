import type { Sql } from '../database/database.ts'

/** Recorded for the SMPP binds of an account. Not an event that a webhook can get. */
export const BIND_EVENTS = 'bind_events'

/** From now on, receipts and replies are recorded for the binds of this account. */
export async function insertBindSubscription(sql: Sql, accountId: number): Promise<void> {
  await sql`
    insert into event_subscriptions (account_id, type, reason)
    values (${accountId}, ${BIND_EVENTS}, 'door')
    on conflict do nothing
  `
}

/** The account has no credentials any more. */
export async function deleteBindSubscription(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from event_subscriptions
    where account_id = ${accountId}
      and type = ${BIND_EVENTS}
  `
}
