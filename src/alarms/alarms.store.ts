import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { type Alarm, type AlarmKind, HOLD_SECONDS, type Trouble } from './alarm.ts'

const columns = (sql: Sql) => sql`
  account_id, id, kind, subject, name, value, bound, raised_at, over_at
`

/** Whether this process looks now. The lock is held until the transaction ends. */
export async function takeLook(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ isTaken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended('chappe alarms', 0)) as is_taken
  `
  return row.isTaken
}

/** Looks are 15 s apart. After a longer pause all processes were away, and nobody knows what was wrong meanwhile. */
const SEEN_SECONDS = 60

/**
 * Keeps what is seen: what is new begins, of the rest the figures change. What was not raised before all processes were away
 * begins anew: carriers bind some seconds after a start, which is no alarm.
 */
export async function keepTroubles(sql: Sql, troubles: readonly Trouble[]): Promise<void> {
  if (troubles.length === 0) return
  await sql`
    insert into alarms (account_id, id, kind, subject, name, value, bound)
    select account_id, nextval('alarm_ids'), kind, subject, name, value, bound
    from unnest(
      ${troubles.map(({ accountId }) => accountId)}::bigint[],
      ${troubles.map(({ kind }) => kind)}::text[],
      ${troubles.map(({ subject }) => subject)}::text[],
      ${troubles.map(({ name }) => name)}::text[],
      ${troubles.map(({ value }) => value)}::double precision[],
      ${troubles.map(({ bound }) => bound)}::double precision[]
    ) as seen (account_id, kind, subject, name, value, bound)
    on conflict (account_id, kind, subject) where over_at is null do update
    set name = excluded.name, value = excluded.value, bound = excluded.bound, seen_at = now(),
        since = case
          when alarms.raised_at is null and alarms.seen_at < now() - make_interval(secs => ${SEEN_SECONDS}) then now()
          else alarms.since
        end
  `
}

/** Raises what has lasted long enough; returns that. */
export async function raiseLasting(sql: Sql): Promise<Alarm[]> {
  return sql<Alarm[]>`
    update alarms
    set raised_at = now()
    from unnest(
      ${Object.keys(HOLD_SECONDS)}::text[],
      ${Object.values(HOLD_SECONDS)}::double precision[]
    ) as held (held_kind, seconds)
    where held_kind = kind
      and over_at is null
      and raised_at is null
      and since <= now() - make_interval(secs => seconds)
    returning ${columns(sql)}
  `
}

/** What a look saw, and what it can see at all. */
export interface Seen {
  kinds: readonly AlarmKind[]
  scope: Scope
  troubles: readonly Trouble[]
  /** Whether it saw all that there are. */
  isWhole: boolean
}

/** The subjects that a watch sees: this one, or all that begin so. */
export type Scope = { subject: string } | { prefix: string }

/** What lasts of those that a look can see. */
function lasting(sql: Sql, { kinds, scope }: Pick<Seen, 'kinds' | 'scope'>) {
  return sql`
    over_at is null
    and kind = any(${kinds as AlarmKind[]}::text[])
    and ${'subject' in scope ? sql`subject = ${scope.subject}` : sql`starts_with(subject, ${scope.prefix})`}
  `
}

/** Ends what a look no longer sees. Returns what was raised; the rest is forgotten. A look that saw only some ends nothing. */
export async function endUnseen(sql: Sql, { troubles, isWhole, ...seen }: Seen): Promise<Alarm[]> {
  if (!isWhole) {
    await sql`
      update alarms
      set seen_at = now()
      where ${lasting(sql, seen)}
    `
    return []
  }
  const unseen = sql`
    ${lasting(sql, seen)}
    and not exists (
      select
      from unnest(
        ${troubles.map(({ accountId }) => accountId)}::bigint[],
        ${troubles.map(({ kind }) => kind)}::text[],
        ${troubles.map(({ subject }) => subject)}::text[]
      ) as seen (account_id, kind, subject)
      where seen.account_id = alarms.account_id
        and seen.kind = alarms.kind
        and seen.subject = alarms.subject
    )
  `
  await sql`
    delete from alarms
    where raised_at is null
      and ${unseen}
  `
  return sql<Alarm[]>`
    update alarms
    set over_at = now()
    where ${unseen}
    returning ${columns(sql)}
  `
}

/** Ends what nobody has looked at for an hour, such as the disk of a machine that is gone. */
export async function endForgotten(sql: Sql): Promise<void> {
  const forgotten = sql`
    over_at is null
    and seen_at < now() - interval '1 hour'
  `
  await sql`
    delete from alarms
    where raised_at is null
      and ${forgotten}
  `
  await sql`
    update alarms
    set over_at = now()
    where ${forgotten}
  `
}

/** Which alarms: those of an account, all or only those that last. */
export interface AlarmFilter {
  accountId: number
  isOpen: boolean | undefined
}

function shown(sql: Sql, { accountId, isOpen }: AlarmFilter) {
  return sql`
    account_id = ${accountId}
      and raised_at is not null
      ${isOpen === undefined ? sql`` : isOpen ? sql`and over_at is null` : sql`and over_at is not null`}
  `
}

export async function countRaised(sql: Sql, filter: AlarmFilter): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from alarms
    where ${shown(sql, filter)}
  `
  return row.count
}

/** Newest first. */
export async function listRaised(sql: Sql, filter: AlarmFilter, window: PageWindow): Promise<Alarm[]> {
  const order = window.isFromEnd ? sql`raised_at, id` : sql`raised_at desc, id desc`
  const rows = await sql<Alarm[]>`
    select ${columns(sql)}
    from alarms
    where ${shown(sql, filter)}
    order by ${order}
    limit ${window.limit}
    offset ${window.offset}
  `
  return newestFirst(rows, window)
}

export async function deleteOldAlarms(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'alarms', column: 'over_at', isIndexed: true }, retention)
}

export async function deleteAlarmsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from alarms
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}
