import type { Sql } from '../database/database.ts'
import type { Channel } from '../messages/message.ts'
import { markFolded } from '../messages/totals.store.ts'

/*
 * Figures of messages, by the quarter of an hour in which they were due. Figures of young messages are read from the messages
 * themselves. Figures of older messages are folded into `figures`, and a trigger adds their later changes.
 */

/** The results of recipients, and their cost. */
export interface Figures {
  sent: number
  delivered: number
  read: number
  failed: number
  stopped: number
  clicked: number
  replied: number
  credits: number
  optedOut: number
  /** Of messages with a tracked link: without one nobody can click. */
  deliveredWithLink: number
}

export const NO_FIGURES: Figures = {
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  stopped: 0,
  clicked: 0,
  replied: 0,
  credits: 0,
  optedOut: 0,
  deliveredWithLink: 0
}

/** The account whose figures are asked for, and the due times. */
export interface FiguresScope {
  accountId: number
  from: Date
  before: Date
  channel: Channel | undefined
}

/** The figures of one account by days of a time zone, without empty days, in one statement. */
export async function listFiguresByDay(
  sql: Sql,
  { timeZone, ...scope }: FiguresScope & { timeZone: string }
): Promise<(Figures & { day: string })[]> {
  return sql`
    select to_char(date, 'YYYY-MM-DD') as day, ${columns(sql)}
    from (
      select (at at time zone ${timeZone})::date as date, ${sums(sql)}
      from ${figuresOf(sql, scope)}
      group by date
    ) as days
  `
}

/** The figures of one account by the hour of the week in which messages were due, in a time zone. */
export async function listFiguresByHour(
  sql: Sql,
  { timeZone, ...scope }: FiguresScope & { timeZone: string }
): Promise<(Figures & { weekday: number; hour: number })[]> {
  const rows = await sql<(Figures & { hourOfWeek: number })[]>`
    -- A single number as the key, and doubles: extract() would answer numerics, which take several times as long.
    select (floor(date_part('epoch', at at time zone ${timeZone}) / 3600)::bigint % ${HOURS_OF_WEEK} + ${HOURS_OF_WEEK})
      % ${HOURS_OF_WEEK} as hour_of_week, ${sums(sql)}
    from ${figuresOf(sql, scope)}
    group by hour_of_week
  `
  return rows.map(({ hourOfWeek, ...figures }) => {
    // The first hour of 1970 was one of a Thursday.
    return { ...figures, weekday: ((Math.floor(hourOfWeek / 24) + 3) % 7) + 1, hour: hourOfWeek % 24 }
  })
}

const HOURS_OF_WEEK = 168

function figuresOf(sql: Sql, scope: FiguresScope) {
  return sql`
    (
      select quarter_at as at, ${columns(sql)}
      from figures
      where ${isInScope(sql, scope, sql`quarter_at`)}
      union all
      select quarter_at, ${columns(sql)}
      from figure_changes
      where ${isInScope(sql, scope, sql`quarter_at`)}
      union all
      select scheduled_at, ${columnsOfMessage(sql)}
      from messages
      where ${isYoung(sql, scope)}
    ) as figures
  `
}

export function isInScope(sql: Sql, { accountId, from, before, channel }: FiguresScope, column: ReturnType<Sql>) {
  return sql`
    account_id = ${accountId}
    and ${column} >= ${from}
    and ${column} < ${before}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
  `
}

/** Messages in the scope that are not folded yet. */
export function isYoung(sql: Sql, scope: FiguresScope) {
  return sql`
    ${isInScope(sql, scope, sql`scheduled_at`)}
    and scheduled_at >= coalesce(
      (select folded_to from figure_progress where account_id = ${scope.accountId}),
      '-infinity'
    )
    and not is_folded
  `
}

export interface DueMessage {
  accountId: number
  id: number
  /** As PostgreSQL writes it: a Date would be cut to milliseconds. */
  scheduledAt: string
}

/** Messages that were due this long ago and are not folded yet, oldest first per account. Of any account: for workers. */
export async function listUnfolded(
  sql: Sql,
  { hours, limit }: { hours: number; limit: number }
): Promise<DueMessage[]> {
  return sql<DueMessage[]>`
    select due.account_id, due.id, due.scheduled_at::text as scheduled_at
    from accounts
    left join figure_progress on figure_progress.account_id = accounts.id
    cross join lateral (
      select account_id, id, scheduled_at
      from messages
      where account_id = accounts.id
        and scheduled_at >= coalesce(folded_to, '-infinity')
        and scheduled_at < now() - make_interval(hours => ${hours})
        and not is_folded
      order by scheduled_at, id
      limit ${limit}
    ) as due
    limit ${limit}
  `
}

/** Locks messages in the one order of all transactions. */
export async function lockInOrder(sql: Sql, messages: readonly DueMessage[]): Promise<void> {
  await sql`
    select
    from ${unnestKeys(sql, messages)}
    join messages on messages.account_id = any(array[given.account_id]) and messages.id = given.message_id
    order by messages.account_id, messages.id
    for no key update of messages
  `
}

/** Folds the messages that were not folded meanwhile. The caller has locked them, so that their counts stay as they are. */
export async function foldMessages(sql: Sql, messages: readonly DueMessage[]): Promise<void> {
  await sql`
    with folded as (
      ${markFolded(
        sql,
        messages.map(({ accountId, id }) => ({ accountId, messageId: id })),
        sql`
          messages.account_id, date_bin('15 minutes', scheduled_at, '2000-01-01 00:00Z') as quarter_at, channel,
          messages.id, scheduled_at, recipients_count, shorturl_mode, ${columnsOfMessage(sql)}
        `
      )}
    ),
    campaigns as (
      insert into message_figures (account_id, message_id, scheduled_at, channel, ${campaignColumns(sql)})
      select account_id, id, scheduled_at, channel, shorturl_mode is not null, recipients_count, sent, delivered, clicked,
        replied, opted_out
      from folded
      where ${isCampaign(sql)}
    )
    insert into figure_changes (account_id, quarter_at, channel, ${columns(sql)})
    select account_id, quarter_at, channel, ${sums(sql)}
    from folded
    group by account_id, quarter_at, channel
  `
  await sql`
    insert into figure_progress (account_id, folded_to)
    select account_id, max(scheduled_at::timestamptz)
    from unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ scheduledAt }) => scheduledAt)}::text[]
    ) as given (account_id, scheduled_at)
    group by account_id
    order by account_id
    on conflict (account_id) do update
    set folded_to = greatest(figure_progress.folded_to, excluded.folded_to)
  `
}

/** Adds changes to the figures; returns the number of changes. */
export async function mergeChanges(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with taken as (
      delete from figure_changes
      where ctid = any(array(
        select ctid
        from figure_changes
        limit ${limit}
        for update skip locked
      ))
      returning account_id, quarter_at, channel, ${columns(sql)}
    ),
    merged as (
      insert into figures (account_id, quarter_at, channel, ${columns(sql)})
      select account_id, quarter_at, channel, ${sums(sql)}
      from taken
      group by account_id, quarter_at, channel
      order by account_id, quarter_at, channel
      on conflict (account_id, quarter_at, channel) do update
      set sent = figures.sent + excluded.sent,
          delivered = figures.delivered + excluded.delivered,
          read = figures.read + excluded.read,
          failed = figures.failed + excluded.failed,
          stopped = figures.stopped + excluded.stopped,
          clicked = figures.clicked + excluded.clicked,
          replied = figures.replied + excluded.replied,
          credits = figures.credits + excluded.credits,
          opted_out = figures.opted_out + excluded.opted_out,
          delivered_with_link = figures.delivered_with_link + excluded.delivered_with_link
    )
    select count(*) as count
    from taken
  `
  return row.count
}

/** The columns of `message_figures` after its key, its due time and its channel. */
export function campaignColumns(sql: Sql) {
  return sql`has_link, recipients, sent, delivered, clicked, replied, opted_out`
}

/** Messages that have a row in `message_figures` once they are folded. The rates of a message to one person say nothing. */
export function isCampaign(sql: Sql) {
  return sql`recipients_count > 1`
}

/** For messages that are removed. */
export async function deleteMessageFigures(
  sql: Sql,
  messages: readonly { accountId: number; id: number }[]
): Promise<void> {
  await sql`
    delete from message_figures
    using ${unnestKeys(sql, messages)}
    where message_figures.account_id = any(array[given.account_id])
      and message_figures.message_id = given.message_id
  `
}

export function unnestKeys(sql: Sql, messages: readonly { accountId: number; id: number }[]) {
  return sql`
    unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ id }) => id)}::bigint[]
    ) as given (account_id, message_id)
  `
}

function columns(sql: Sql) {
  return sql`sent, delivered, read, failed, stopped, clicked, replied, credits, opted_out, delivered_with_link`
}

function sums(sql: Sql) {
  return sql`
    sum(sent)::bigint as sent, sum(delivered)::bigint as delivered, sum(read)::bigint as read, sum(failed)::bigint as failed,
    sum(stopped)::bigint as stopped, sum(clicked)::bigint as clicked, sum(replied)::bigint as replied,
    sum(credits)::bigint as credits, sum(opted_out)::bigint as opted_out,
    sum(delivered_with_link)::bigint as delivered_with_link
  `
}

/** As the trigger `messages_figures` counts them. A read message counts as delivered too. */
function columnsOfMessage(sql: Sql) {
  return sql`
    taken_count as sent, delivered_count + read_count as delivered, read_count as read, failed_count as failed,
    stopped_count as stopped, clicked_count as clicked, replied_count as replied,
    credits_required - credits_refunded as credits, opted_out_count as opted_out,
    case when shorturl_mode is null then 0 else delivered_count + read_count end as delivered_with_link
  `
}
