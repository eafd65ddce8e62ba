import type { Sql } from '../database/database.ts'

interface PhoneKey {
  accountId: number
  phone: string
}

/**
 * Keeps other erasures of a number waiting until the transaction ends, and later looks at it away. The first statement of an
 * erasure: it touches many rows, and the later look touches them in another order.
 */
export async function lockErasure(sql: Sql, key: PhoneKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(sql, key)})`
}

function lockOf(sql: Sql, { accountId, phone }: PhoneKey) {
  return sql`hashtextextended(${`erasure ${accountId} ${phone}`}, 0)`
}

/**
 * Remembers a number whose messages are still under way, or may be: a send that is being accepted has read its list already,
 * and no other transaction sees its people. The last statement of an erasure, whose time it notes.
 */
export async function insertPendingErasure(sql: Sql, { accountId, phone }: PhoneKey): Promise<void> {
  await sql`
    insert into pending_erasures (account_id, phone, created_at, next_look_at)
    values (${accountId}, ${phone}, clock_timestamp(), clock_timestamp())
    on conflict (account_id, phone) do update
    set created_at = excluded.created_at, next_look_at = excluded.next_look_at
  `
}

export interface PendingErasure extends PhoneKey {
  createdAt: Date
}

/** Whether a transaction from before this time is running: it may commit the number yet. */
export async function isOlderRunning(sql: Sql, { createdAt }: PendingErasure): Promise<boolean> {
  const [row] = await sql<[{ isRunning: boolean }]>`
    select exists (
      select
      from pg_stat_activity
      where datname = current_database()
        and backend_type = 'client backend'
        and pid <> pg_backend_pid()
        and xact_start <= ${createdAt}::timestamptz + interval '1 millisecond'
    ) as is_running
  `
  return row.isRunning
}

/**
 * Erasures that are due for a look, of any account. Taking one puts off its next look, so that those that can't be finished
 * take turns with the others. An old one is looked at less often: it waits for a receipt, for up to three days.
 */
export async function takePendingErasures(sql: Sql, limit: number): Promise<PendingErasure[]> {
  return sql<PendingErasure[]>`
    with due as (
      select account_id, phone
      from pending_erasures
      where next_look_at <= now()
      order by next_look_at
      limit ${limit}
      for update skip locked
    )
    update pending_erasures
    set next_look_at = now() + greatest(interval '1 minute', least(interval '10 minutes', (now() - created_at) / 10))
    from due
    where pending_erasures.account_id = any(array[due.account_id])
      and pending_erasures.phone = due.phone
    returning pending_erasures.account_id, pending_erasures.phone, created_at
  `
}

/** Held until the transaction ends; false when it is done, was asked for anew, or somebody else is at it. */
export async function lockPendingErasure(sql: Sql, erasure: PendingErasure): Promise<boolean> {
  const { accountId, phone, createdAt } = erasure
  const [lock] = await sql<[{ isHeld: boolean }]>`
    select pg_try_advisory_xact_lock(${lockOf(sql, erasure)}) as is_held
  `
  if (!lock.isHeld) return false
  const [row] = await sql`
    select
    from pending_erasures
    where account_id = ${accountId}
      and phone = ${phone}
      and created_at <= ${createdAt}::timestamptz + interval '1 millisecond'
    for update skip locked
  `
  return row !== undefined
}

export async function deletePendingErasure(sql: Sql, { accountId, phone }: PhoneKey): Promise<void> {
  await sql`
    delete from pending_erasures
    where account_id = ${accountId}
      and phone = ${phone}
  `
}
