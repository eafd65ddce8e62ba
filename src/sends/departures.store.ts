import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import type { MessageKey } from '../messages/messages.store.ts'

/** A message whose recipients are found when it departs. */
export interface Departure {
  accountId: number
  messageId: number
  segmentIds: number[]
  /** The request, without its schedule and with the content of its template. */
  request: Record<string, unknown>
}

export async function insertDeparture(
  sql: Sql,
  { accountId, messageId, segmentIds, request, dueAt }: Departure & { dueAt: Date }
): Promise<void> {
  await sql`
    insert into departures (account_id, message_id, due_at, segment_ids, request)
    values (${accountId}, ${messageId}, ${dueAt}, ${segmentIds}::bigint[], ${sql.json(request)})
  `
}

/**
 * Locks the departure that has been due longest, of any account but these top-level accounts and their sub-accounts: for
 * workers. One that another process works on is passed over.
 */
export async function lockDueDeparture(
  sql: Sql,
  except: readonly number[]
): Promise<(Departure & { topLevelId: number }) | undefined> {
  const [row] = await sql<(Departure & { topLevelId: number })[]>`
    select account_id, message_id, segment_ids, request, ${topLevelIdOf(sql, sql`departures.account_id`)}
    from departures
    where problem is null
      and not is_paused
      and due_at <= now()
      and ${isOfOthers(sql, sql`account_id`, except)}
    order by due_at
    limit 1
    for update skip locked
  `
  return row
}

/** Departures that are due and not paused, of any account. */
export async function listDueDepartures(sql: Sql): Promise<Departure[]> {
  return sql<Departure[]>`
    select account_id, message_id, segment_ids, request
    from departures
    where problem is null
      and not is_paused
      and due_at <= now()
    order by account_id, message_id
  `
}

/** Waits for a process that works on the departure of a message, if it has one. */
export async function lockDeparture(sql: Sql, { accountId, id }: MessageKey): Promise<void> {
  await sql`
    select 1
    from departures
    where account_id = ${accountId}
      and message_id = ${id}
    for update
  `
}

/** The departure of a message that has yet to depart, if it has one. Nobody can begin it before the end of this transaction. */
export async function deleteWaitingDeparture(sql: Sql, { accountId, id }: MessageKey): Promise<boolean> {
  const deleted = await sql`
    delete from departures
    where account_id = ${accountId}
      and message_id = ${id}
      and problem is null
  `
  return deleted.count > 0
}

/** Holds the departure of a message that has yet to depart, or lets it go. False: the message has none that waits. */
export async function updateDeparturePaused(
  sql: Sql,
  { accountId, id, isPaused }: MessageKey & { isPaused: boolean }
): Promise<boolean> {
  const updated = await sql`
    update departures
    set is_paused = ${isPaused}
    where account_id = ${accountId}
      and message_id = ${id}
      and problem is null
  `
  return updated.count > 0
}

/** It departed, or never will. */
export async function deleteDeparture(
  sql: Sql,
  { accountId, messageId }: Pick<Departure, 'accountId' | 'messageId'>
): Promise<void> {
  await sql`
    delete from departures
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
}

/** It was refused. The request is not needed any more. */
export async function updateDepartureProblem(
  sql: Sql,
  { accountId, messageId }: Pick<Departure, 'accountId' | 'messageId'>,
  problem: string
): Promise<void> {
  await sql`
    update departures
    set problem = ${problem},
        request = '{}'
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
}

/** Later: for one whose account is suspended, or after a failure that is not its own. */
export async function putOffDeparture(
  sql: Sql,
  { accountId, messageId }: Pick<Departure, 'accountId' | 'messageId'>,
  seconds: number
): Promise<void> {
  await sql`
    update departures
    set due_at = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
}

/** A message that waits to depart to this segment, if there is one. */
export async function findDepartureTo(
  sql: Sql,
  { accountId, segmentId }: { accountId: number; segmentId: number }
): Promise<number | undefined> {
  const [row] = await sql<{ messageId: number }[]>`
    select message_id
    from departures
    where account_id = ${accountId}
      and problem is null
      and ${segmentId}::bigint = any(segment_ids)
    limit 1
  `
  return row?.messageId
}

export async function findDeparture(
  sql: Sql,
  { accountId, id }: MessageKey
): Promise<{ dueAt: Date; segmentIds: number[]; problem: string | null } | undefined> {
  const [row] = await sql<{ dueAt: Date; segmentIds: number[]; problem: string | null }[]>`
    select due_at, segment_ids, problem
    from departures
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return row
}

/** Departures that were refused so many days ago: their messages are removed too. */
export function deleteOldDepartures(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'departures', column: 'due_at', isOver: sql`problem is not null` }, retention)
}
