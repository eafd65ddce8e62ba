import type { Sql } from '../database/database.ts'
import { type MessageKey, unnestMessageKeys } from '../messages/messages.store.ts'
import { unnestRecipientKeys } from './conditions.store.ts'
import type { Ending, RecipientKey } from './move.ts'
import { listRecipientsAt } from './positions.store.ts'
import { toRecipientId } from './recipient.ts'

/*
 * RCS recipients that the platform accepted and that are neither delivered nor given up. A transaction that changes all
 * three changes the recipient first, then its message, then its wait.
 */

export type WaitStep = 'report' | 'revoked' | 'cancelled'

export interface NewWait extends RecipientKey {
  carrier: string
  /** How long a delivery report is awaited, and how long a last report may then be on its way. */
  reportSeconds: number
  graceSeconds: number
}

/** Begins to await a report. If the message was cancelled meanwhile, the RCS is to be revoked at once. */
export async function insertWaits(sql: Sql, waits: readonly NewWait[]): Promise<void> {
  if (waits.length === 0) return
  const messages = [...new Map(waits.map((wait) => [wait.messageId, wait])).values()]
  // Each message is looked up once. A join of the recipients with the table looks it up for each of them.
  await sql`
    with of_waits as materialized (
      select messages.account_id, id, cancelled_at
      from ${unnestMessageKeys(sql, messages)}
      join messages on messages.account_id = any(array[given.account_id]) and messages.id = given.message_id
    )
    insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds)
    select given.account_id, given.message_id, position, carrier,
      case when cancelled_at is null then 'report' else 'cancelled' end,
      case when cancelled_at is null then now() + make_interval(secs => report_seconds) else now() end,
      now() + make_interval(secs => report_seconds), grace_seconds
    from unnest(
      ${waits.map(({ accountId }) => accountId)}::bigint[],
      ${waits.map(({ messageId }) => messageId)}::bigint[],
      ${waits.map(({ position }) => position)}::integer[],
      ${waits.map(({ carrier }) => carrier)}::text[],
      ${waits.map(({ reportSeconds }) => reportSeconds)}::double precision[],
      ${waits.map(({ graceSeconds }) => graceSeconds)}::real[]
    ) as given (account_id, message_id, position, carrier, report_seconds, grace_seconds)
    join of_waits on of_waits.account_id = given.account_id and of_waits.id = given.message_id
    on conflict do nothing
  `
}

/**
 * Has the RCS of recipients that were withdrawn revoked at once. One that expired has no time to live left at the platform: only
 * a report that is on its way is awaited. The others may be there for an hour, as far as is known.
 */
export async function insertRevocations(
  sql: Sql,
  waits: readonly (RecipientKey & { carrier: string; ending: Ending | null })[]
): Promise<void> {
  if (waits.length === 0) return
  await sql`
    insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds, ending)
    select account_id, message_id, position, carrier, 'cancelled', now(),
      now() + case when ending = 'expired' then interval '5 seconds' else interval '1 hour' end, 5, ending
    from unnest(
      ${waits.map(({ accountId }) => accountId)}::bigint[],
      ${waits.map(({ messageId }) => messageId)}::bigint[],
      ${waits.map(({ position }) => position)}::integer[],
      ${waits.map(({ carrier }) => carrier)}::text[],
      ${waits.map(({ ending }) => ending)}::text[]
    ) as given (account_id, message_id, position, carrier, ending)
    on conflict do nothing
  `
}

export async function deleteWaits(sql: Sql, keys: readonly RecipientKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    delete from rcs_waits
    using ${unnestRecipientKeys(sql, keys)}
    where ${isGiven(sql)}
  `
}

/**
 * Begins the grace of RCS that the platform no longer has: only a report on its way is still awaited. That includes a
 * cancelled RCS: revoking it again would be too late.
 *
 * `isTooLate`: the platform answered that it has nothing to revoke, so a delivery report is to come, within `times` the
 * usual grace. A cancelled RCS waits for the answer to its own revocation. If the platform then reports that the RCS
 * expired, the usual grace is enough.
 */
export async function beginGrace(
  sql: Sql,
  keys: readonly RecipientKey[],
  { times = 1, isTooLate = false }: { times?: number; isTooLate?: boolean } = {}
): Promise<RecipientKey[]> {
  if (keys.length === 0) return []
  const grace = sql`make_interval(secs => grace_seconds * ${times}::integer)`
  return sql<RecipientKey[]>`
    update rcs_waits
    set step = 'revoked', due_at = now() + ${grace}
    from ${unnestRecipientKeys(sql, keys)}
    where ${isGiven(sql)}
      and ${isTooLate ? sql`step = 'report'` : sql`(step in ('report', 'cancelled') or due_at > now() + ${grace})`}
    returning rcs_waits.account_id, rcs_waits.message_id, rcs_waits.position
  `
}

/** Makes cancelled RCS await a report for as long as the platform may keep them. */
export async function updateToReport(sql: Sql, keys: readonly RecipientKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update rcs_waits
    set step = 'report', due_at = greatest(expires_at, now() + make_interval(secs => grace_seconds))
    from ${unnestRecipientKeys(sql, keys)}
    where ${isGiven(sql)}
      and step = 'cancelled'
  `
}

/**
 * Marks the undelivered RCS of a message to be revoked, unless the platform no longer has them. Returns how many are
 * neither delivered nor given up.
 */
export async function updateWaitsToCancelled(sql: Sql, { accountId, id }: MessageKey): Promise<number> {
  const { count } = await sql`
    update rcs_waits
    set step = case when step = 'report' then 'cancelled' else step end,
        due_at = case when step = 'report' then now() else due_at end
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return count
}

/** Postpones revocations, as long as the platform may keep the RCS. After that there is nothing to revoke. */
export async function putOff(sql: Sql, waits: readonly (RecipientKey & { delaySeconds: number })[]): Promise<void> {
  if (waits.length === 0) return
  await sql`
    update rcs_waits
    set step = case when expires_at <= now() then 'revoked' else step end,
        due_at = case
          when expires_at <= now() then now() + make_interval(secs => grace_seconds)
          else least(expires_at, now() + make_interval(secs => delay_seconds))
        end
    from unnest(
      ${waits.map(({ accountId }) => accountId)}::bigint[],
      ${waits.map(({ messageId }) => messageId)}::bigint[],
      ${waits.map(({ position }) => position)}::integer[],
      ${waits.map(({ delaySeconds }) => delaySeconds)}::double precision[]
    ) as given (account_id, message_id, position, delay_seconds)
    where ${isGiven(sql)}
      and step = 'cancelled'
  `
}

export interface DueWait extends RecipientKey {
  carrier: string
  step: WaitStep
  phone: string
  /** Null when the RCS falls back, or its message was cancelled. */
  ending: Ending | null
}

interface Claim {
  limit: number
  /** After this, another process may claim the waits. */
  leaseSeconds: number
}

/** Claims the RCS that are due to be revoked. Covers all accounts: for workers. */
export async function claimRevocable(sql: Sql, claim: Claim): Promise<DueWait[]> {
  return claimDue(sql, claim, sql`step in ('report', 'cancelled')`)
}

/**
 * Extends the claim on RCS that are being revoked. It never shortens a postponement, and skips rows that another
 * transaction has locked.
 */
export async function extendWaits(sql: Sql, keys: readonly RecipientKey[], leaseSeconds: number): Promise<void> {
  await sql`
    with held as (
      select rcs_waits.account_id, rcs_waits.message_id, rcs_waits.position
      from ${unnestRecipientKeys(sql, keys)}
      join rcs_waits on ${isGiven(sql)}
      where step in ('report', 'cancelled')
      for update of rcs_waits skip locked
    )
    update rcs_waits
    set due_at = greatest(due_at, now() + make_interval(secs => ${leaseSeconds}))
    from held
    where rcs_waits.account_id = any(array[held.account_id])
      and rcs_waits.message_id = held.message_id
      and rcs_waits.position = held.position
  `
}

/**
 * Claims waits whose grace is over. While no process ran, reports could not arrive. So a wait that was due before this
 * process started gets its grace once more.
 */
export async function claimOver(sql: Sql, { startedAt, ...claim }: Claim & { startedAt: Date }): Promise<DueWait[]> {
  return claimDue(sql, claim, isOver(sql, startedAt))
}

/** Whether `claimOver` may find something. */
export async function isAnyOver(sql: Sql, startedAt: Date): Promise<boolean> {
  const [row] = await sql<[{ isAny: boolean }]>`
    select exists (
      select
      from rcs_waits
      where due_at <= now()
        and ${isOver(sql, startedAt)}
    ) as is_any
  `
  return row.isAny
}

function isOver(sql: Sql, startedAt: Date) {
  return sql`
    step = 'revoked'
    and (due_at >= ${startedAt} or now() >= ${startedAt}::timestamptz + make_interval(secs => grace_seconds))
  `
}

async function claimDue(sql: Sql, { limit, leaseSeconds }: Claim, condition: ReturnType<Sql>): Promise<DueWait[]> {
  const claimed = await sql<Omit<DueWait, 'phone'>[]>`
    with due as (
      select account_id, message_id, position
      from rcs_waits
      where due_at <= now()
        and ${condition}
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update rcs_waits
    set due_at = now() + make_interval(secs => ${leaseSeconds})
    from due
    where rcs_waits.account_id = any(array[due.account_id])
      and rcs_waits.message_id = due.message_id
      and rcs_waits.position = due.position
    returning rcs_waits.account_id, rcs_waits.message_id, rcs_waits.position, rcs_waits.carrier, step, ending
  `
  const phones = new Map((await listRecipientsAt(sql, claimed)).map((row) => [toRecipientId(row), row.phone]))
  return claimed.flatMap((wait) => {
    const phone = phones.get(toRecipientId(wait))
    return phone === undefined ? [] : [{ ...wait, phone }]
  })
}

function isGiven(sql: Sql) {
  return sql`
    rcs_waits.account_id = any(array[given.account_id])
    and rcs_waits.message_id = given.message_id
    and rcs_waits.position = given.position
  `
}
