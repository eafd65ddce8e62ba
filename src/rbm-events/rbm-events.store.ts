import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

/*
 * Events of the platform, as a queue. An event is stored before it is answered, applied after that, and kept for as long
 * as the platform may post it again. Its id alone recognises a repeat: the body is emptied once the event is applied.
 */

export interface EventKey {
  carrier: string
  eventId: string
}

export interface NewEvent extends EventKey {
  isReport: boolean
  /** When it is to be applied; null: there is nothing to apply. */
  dueInSeconds: number | null
  body: string
}

/** A repeat changes nothing. All processes insert in one order, so that none waits for another in a circle. */
export async function insertEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  await sql`
    insert into rbm_events (carrier, event_id, is_report, body, next_try_at)
    select carrier, event_id, is_report, body, now() + make_interval(secs => due_in_seconds)
    from unnest(
      ${events.map(({ carrier }) => carrier)}::text[],
      ${events.map(({ eventId }) => eventId)}::text[],
      ${events.map(({ isReport }) => isReport)}::boolean[],
      ${events.map(({ dueInSeconds }) => dueInSeconds)}::double precision[],
      ${events.map(({ dueInSeconds, body }) => (dueInSeconds === null ? '' : body))}::text[]
    ) as given (carrier, event_id, is_report, due_in_seconds, body)
    order by carrier, event_id
    on conflict do nothing
  `
}

export interface DueEvent extends EventKey {
  body: string
  receivedAt: Date
  /** How often it came to nothing. */
  tries: number
}

/** Takes reports that are due, oldest first; held until the transaction ends. With `only`, that one if it is due. */
export async function claimReports(
  sql: Sql,
  { limit, only }: { limit: number; only?: EventKey | undefined }
): Promise<DueEvent[]> {
  return sql<DueEvent[]>`
    select carrier, event_id, body, received_at, tries
    from rbm_events
    where is_report
      and next_try_at <= now()
      ${only ? sql`and carrier = ${only.carrier} and event_id = ${only.eventId}` : sql``}
    order by next_try_at
    limit ${limit}
    for update skip locked
  `
}

/**
 * Takes these reports, due or not, and marks them as done. Returns those that were still to be applied: of processes
 * that want the same report at once, one gets it. Whether a report is to be applied is asked in a form that no index
 * serves: otherwise a plan may read all that are, for each of the keys.
 */
export async function takeReports(sql: Sql, keys: readonly EventKey[]): Promise<EventKey[]> {
  const sorted = keys.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))
  return sql<EventKey[]>`
    update rbm_events
    set next_try_at = null, body = ''
    from unnest(
      ${sorted.map(({ carrier }) => carrier)}::text[],
      ${sorted.map(({ eventId }) => eventId)}::text[]
    ) as given (carrier, event_id)
    where rbm_events.carrier = any(array[given.carrier])
      and rbm_events.event_id = given.event_id
      and coalesce(rbm_events.next_try_at, '-infinity') <> '-infinity'
    returning rbm_events.carrier, rbm_events.event_id
  `
}

/** Whether reports are stored that no process has looked at. A report that has just come is being looked at. */
export async function hasUnreadReports(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ isAny: boolean }]>`
    select exists (
      select
      from rbm_events
      where next_try_at is not null
        and is_report
        and tries = 0
        and received_at < now() - interval '1 second'
    ) as is_any
  `
  return row.isAny
}

/** Due replies and opt-outs, oldest first. Each is to be locked on its own before it is applied. */
export async function listInbound(sql: Sql, limit: number): Promise<DueEvent[]> {
  return sql<DueEvent[]>`
    select carrier, event_id, body, received_at, tries
    from rbm_events
    where not is_report
      and next_try_at <= now()
    order by next_try_at
    limit ${limit}
  `
}

/** False when another process applies it, or has applied it. */
export async function lockDue(sql: Sql, { carrier, eventId }: EventKey): Promise<boolean> {
  const [row] = await sql`
    select
    from rbm_events
    where carrier = ${carrier}
      and event_id = ${eventId}
      and next_try_at <= now()
    for update skip locked
  `
  return row !== undefined
}

/** Ends the work on these events. Their keys stay, so that a repeat is known; their content goes. */
export async function updateToDone(sql: Sql, keys: readonly EventKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update rbm_events
    set next_try_at = null, body = ''
    from unnest(
      ${keys.map(({ carrier }) => carrier)}::text[],
      ${keys.map(({ eventId }) => eventId)}::text[]
    ) as given (carrier, event_id)
    where rbm_events.carrier = any(array[given.carrier])
      and rbm_events.event_id = given.event_id
  `
}

/** An event that came to nothing. */
export interface Retry extends EventKey {
  /** Undefined when it is not tried again. */
  nextTrySeconds: number | undefined
  /** Given for an event that was taken, and so has lost it. */
  body?: string
}

/** They came to nothing and are tried again; without a time, they are not. */
export async function updateToRetry(sql: Sql, events: readonly Retry[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    update rbm_events
    set tries = tries + 1,
        next_try_at = case when given.seconds >= 0 then now() + make_interval(secs => given.seconds) end,
        body = case when given.seconds >= 0 then coalesce(given.body, rbm_events.body) else '' end
    from unnest(
      ${events.map(({ carrier }) => carrier)}::text[],
      ${events.map(({ eventId }) => eventId)}::text[],
      ${events.map(({ nextTrySeconds = -1 }) => nextTrySeconds)}::double precision[],
      ${events.map(({ body = null }) => body)}::text[]
    ) as given (carrier, event_id, seconds, body)
    where rbm_events.carrier = any(array[given.carrier])
      and rbm_events.event_id = given.event_id
  `
}

/** Whether something that this phone did, or that happened to a message to it, is still to be worked on. */
export async function isAnyWaitingAbout(sql: Sql, phone: string): Promise<boolean> {
  const [row] = await sql<[{ isWaiting: boolean }]>`
    select exists (
      select
      from rbm_events
      where next_try_at is not null
        and strpos(body, ${phone.replace('+', '')}) > 0
    ) as is_waiting
  `
  return row.isWaiting
}

export async function countWaiting(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from rbm_events
    where next_try_at is not null
  `
  return row.count
}

export async function deleteOldEvents(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'rbm_events', column: 'received_at', isIndexed: true }, retention)
}
