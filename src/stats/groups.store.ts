import type { Sql } from '../database/database.ts'
import type { Channel } from '../messages/message.ts'
import { type FiguresScope, unnestKeys } from './figures.store.ts'

/*
 * Recipients of folded messages by what they have in common. `message_groups` has those of each message, `group_figures` those of
 * all messages of a quarter of an hour and of a day.
 */

const PERIOD_GROUPS = ['country', 'carrier', 'error', 'link'] as const
export type PeriodGroup = (typeof PERIOD_GROUPS)[number]

export interface GroupCounts {
  recipients: number
  sent: number
  delivered: number
  failed: number
  clicked: number
}

/** Recipients of one message. Of `delivered` and `clicked`, the value is an hour. */
export interface Group extends GroupCounts {
  by: PeriodGroup | 'delivered' | 'clicked'
  value: string
}

export interface Uncounted {
  accountId: number
  messageId: number
  scheduledAt: Date
  channel: Channel
  changes: number
}

/**
 * Takes some messages whose recipients are to be counted, for so long. Messages of a process that died are due again after
 * that. Of any account: for workers.
 */
export async function claimUncounted(
  sql: Sql,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number }
): Promise<Uncounted[]> {
  return sql<Uncounted[]>`
    with due as (
      select account_id, message_id
      from message_figures
      where count_at <= now()
      order by count_at
      limit ${limit}
      for update skip locked
    )
    update message_figures
    set count_at = now() + make_interval(secs => ${leaseSeconds})
    from due
    where message_figures.account_id = any(array[due.account_id])
      and message_figures.message_id = due.message_id
    returning message_figures.account_id, message_figures.message_id, scheduled_at, channel, changes
  `
}

/**
 * Ends the count of a message, and locks it until the end of the transaction. A message that has changed meanwhile is due again
 * after a quarter of its age. Returns false if the message was removed.
 */
export async function endCount(sql: Sql, { accountId, messageId, changes }: Uncounted): Promise<boolean> {
  const rows = await sql`
    update message_figures
    set count_at = case when changes > ${changes}::integer then now() + (now() - scheduled_at) / 4 end
    where account_id = ${accountId}
      and message_id = ${messageId}
    returning message_id
  `
  return rows.length > 0
}

export interface CountedGroups {
  groups: Group[]
  countedChanges: number
  countedAt: Date
  /** Whether the message has not changed since. */
  isCurrent: boolean
}

export async function findGroups(
  sql: Sql,
  { accountId, messageId }: { accountId: number; messageId: number }
): Promise<CountedGroups | undefined> {
  const [row] = await sql<CountedGroups[]>`
    select groups, counted_changes, counted_at, counted_changes = changes as is_current
    from message_groups
    join message_figures using (account_id, message_id)
    where account_id = ${accountId}
      and message_id = ${messageId}
  `
  return row
}

export async function upsertGroups(
  sql: Sql,
  { accountId, messageId, changes }: Uncounted,
  { groups, countedAt }: { groups: readonly Group[]; countedAt: Date }
): Promise<void> {
  await sql`
    insert into message_groups (account_id, message_id, counted_changes, counted_at, groups)
    values (${accountId}, ${messageId}, ${changes}, ${countedAt}, ${JSON.stringify(groups)}::text::jsonb)
    on conflict (account_id, message_id) do update
    set counted_changes = excluded.counted_changes, counted_at = excluded.counted_at, groups = excluded.groups
  `
}

/** Adds differences of one message to its quarter of an hour and its day. In the order of the key: two processes may do so. */
export async function addToFigures(
  sql: Sql,
  { accountId, channel, scheduledAt }: Uncounted,
  changes: readonly Group[]
): Promise<void> {
  const column = (name: keyof GroupCounts) => changes.map((change) => change[name])
  await sql`
    insert into group_figures (account_id, span, begins_at, channel, by, value, ${counts(sql)})
    select ${accountId}, span, begins_at, ${channel}, by, value, ${counts(sql)}
    from unnest(
      ${changes.map(({ by }) => by)}::text[], ${changes.map(({ value }) => value)}::text[],
      ${column('recipients')}::bigint[], ${column('sent')}::bigint[], ${column('delivered')}::bigint[],
      ${column('failed')}::bigint[], ${column('clicked')}::bigint[]
    ) as given (by, value, ${counts(sql)})
    cross join (
      values
        ('day', date_bin('1 day', ${scheduledAt}::timestamptz, '2000-01-01 00:00Z')),
        ('quarter', date_bin('15 minutes', ${scheduledAt}::timestamptz, '2000-01-01 00:00Z'))
    ) as spans (span, begins_at)
    order by span, by, value
    on conflict (account_id, span, begins_at, channel, by, value) do update
    set recipients = group_figures.recipients + excluded.recipients,
        sent = group_figures.sent + excluded.sent,
        delivered = group_figures.delivered + excluded.delivered,
        failed = group_figures.failed + excluded.failed,
        clicked = group_figures.clicked + excluded.clicked
  `
}

const DAY_MS = 86_400_000

/** The groups of a period, the largest first, of each kind at most so many. Whole days of UTC are read at once. */
export async function listPeriodGroups(
  sql: Sql,
  { accountId, from, before, channel }: FiguresScope,
  { limit }: { limit: number }
): Promise<(GroupCounts & { by: PeriodGroup; value: string })[]> {
  const firstDay = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS)
  const endOfDays = new Date(Math.max(firstDay.getTime(), Math.floor(before.getTime() / DAY_MS) * DAY_MS))
  const rows = (span: 'quarter' | 'day', begin: Date, end: Date) => sql`
    select by, value, ${counts(sql)}
    from group_figures
    where account_id = ${accountId}
      and span = ${span}
      and begins_at >= ${begin}
      and begins_at < ${end}
      ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
  `
  const earliest = firstDay < before ? firstDay : before
  return sql`
    select by, value, ${counts(sql)}
    from (
      select *, row_number() over (partition by by order by recipients desc, value) as place
      from (
        select by, value, sum(recipients)::bigint as recipients, sum(sent)::bigint as sent, sum(delivered)::bigint as delivered,
          sum(failed)::bigint as failed, sum(clicked)::bigint as clicked
        from (
          ${rows('day', firstDay, endOfDays)}
          union all
          ${rows('quarter', from, earliest)}
          union all
          ${rows('quarter', endOfDays, before)}
        ) as figures
        group by by, value
      ) as groups
      where recipients > 0
    ) as placed
    where place <= ${limit}
    order by by, place
  `
}

/** For messages that are removed. */
export async function deleteMessageGroups(
  sql: Sql,
  messages: readonly { accountId: number; id: number }[]
): Promise<void> {
  await sql`
    delete from message_groups
    using ${unnestKeys(sql, messages)}
    where message_groups.account_id = any(array[given.account_id])
      and message_groups.message_id = given.message_id
  `
}

function counts(sql: Sql) {
  return sql`recipients, sent, delivered, failed, clicked`
}
