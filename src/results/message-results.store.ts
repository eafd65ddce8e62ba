import type { Sql } from '../database/database.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'
import { campaignColumns, type FiguresScope, isCampaign, isInScope, isYoung } from '../stats/figures.store.ts'
import type { Group } from '../stats/groups.store.ts'
import type { MessageCounts } from './message-result.ts'

/* Results of messages. Those of several messages come from `message_figures`, except those of messages that are not folded. */

export const MESSAGE_SORTS = [
  'due',
  'recipients',
  'delivered',
  'clicked',
  'delivery_rate',
  'click_rate',
  'reply_rate',
  'opt_out_rate'
] as const
export type MessageSort = (typeof MESSAGE_SORTS)[number]

export async function countMessageResults(sql: Sql, scope: FiguresScope): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from ${campaignsOf(sql, scope)}
  `
  return row.count
}

/** The messages of a page in their order. Only these are looked up in `messages`. */
export async function listMessageResults(
  sql: Sql,
  scope: FiguresScope,
  { sort, direction, offset, limit }: { sort: MessageSort; direction: 'asc' | 'desc'; offset: number; limit: number }
): Promise<MessageCounts[]> {
  const way = direction === 'asc' ? sql`asc` : sql`desc`
  const found = await sql<{ messageId: number }[]>`
    select message_id
    from ${campaignsOf(sql, scope)}
    order by ${sortedBy(sql, sort)} ${way} nulls last, message_id ${way}
    offset ${offset}
    limit ${limit}
  `
  if (found.length === 0) return []
  const ids = found.map(({ messageId }) => messageId)
  const rows = await listMessageCounts(sql, { accountId: scope.accountId, ids })
  const byId = new Map(rows.map((row) => [row.messageId, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Where a rate is null in the answer, so is its value here. */
function sortedBy(sql: Sql, sort: MessageSort): ReturnType<Sql> {
  const rate = (part: ReturnType<Sql>, whole: ReturnType<Sql>) =>
    sql`case when ${whole} > 0 then least(1, ${part}::float8 / ${whole}) end`
  const values: Record<MessageSort, () => ReturnType<Sql>> = {
    due: () => sql`scheduled_at`,
    recipients: () => sql`recipients`,
    delivered: () => sql`delivered`,
    clicked: () => sql`clicked`,
    delivery_rate: () => rate(sql`delivered`, sql`sent`),
    click_rate: () => sql`case when has_link then ${rate(sql`clicked`, sql`delivered`)} end`,
    reply_rate: () => rate(sql`replied`, sql`delivered`),
    opt_out_rate: () => rate(sql`opted_out`, sql`delivered`)
  }
  return values[sort]()
}

/** Messages to several recipients, of which a carrier has accepted some. */
function campaignsOf(sql: Sql, scope: FiguresScope) {
  return sql`
    (
      select message_id, scheduled_at, ${campaignColumns(sql)}
      from message_figures
      where ${isInScope(sql, scope, sql`scheduled_at`)}
        and sent > 0
      union all
      select id, scheduled_at, shorturl_mode is not null, recipients_count, taken_count, delivered_count + read_count,
        clicked_count, replied_count, opted_out_count
      from messages
      where ${isYoung(sql, scope)}
        and ${isCampaign(sql)}
        and taken_count > 0
    ) as campaigns
  `
}

/** In no order. */
export async function listMessageCounts(
  sql: Sql,
  { accountId, ids }: { accountId: number; ids: readonly number[] }
): Promise<MessageCounts[]> {
  return sql<MessageCounts[]>`
    select id as message_id, name, content, channel, sender, scheduled_at, shorturl_url as link, recipients_count as recipients,
      taken_count as sent, delivered_count + read_count as delivered, failed_count as failed, clicked_count as clicked,
      replied_count as replied, opted_out_count as opted_out
    from messages
    where account_id = ${accountId}
      and id = any(${ids as number[]}::bigint[])
  `
}

interface MessageScope {
  accountId: number
  messageId: number
  /** Hours are counted from here. */
  scheduledAt: Date
}

/** Whole hours that are told apart: a week. */
const HOURS_MAX = 168

/** The recipients of a message by all that they are grouped by, in one walk along their key. */
export async function listRecipientGroups(sql: Sql, scope: MessageScope): Promise<Group[]> {
  const { delivered, read, failed, expired, rejected } = RECIPIENT_STATES
  return sql<Group[]>`
    select
      case
        when grouping(country) = 0 then 'country'
        when grouping(carrier) = 0 then 'carrier'
        when grouping(error) = 0 then 'error'
        when grouping(delivered_hour) = 0 then 'delivered'
        else 'clicked'
      end as by,
      coalesce(country, carrier, error, delivered_hour::text, clicked_hour::text) as value,
      count(*) as recipients,
      count(sent_at) as sent,
      count(*) filter (where state in (${delivered}, ${read})) as delivered,
      count(*) filter (where state in (${failed}, ${expired}, ${rejected})) as failed,
      count(clicked_at) as clicked
    from (
      select state, sent_at, clicked_at, country, carrier, nullif(error_code, '') as error,
        case when state in (${delivered}, ${read}) then ${hourOf(sql, sql`delivered_at`, scope)} end as delivered_hour,
        ${hourOf(sql, sql`clicked_at`, scope)} as clicked_hour
      from recipients
      where account_id = ${scope.accountId}
        and message_id = ${scope.messageId}
    ) as recipients
    group by grouping sets ((country), (carrier), (error), (delivered_hour), (clicked_hour))
    having coalesce(country, carrier, error, delivered_hour::text, clicked_hour::text) is not null
  `
}

/** By hour, the people who replied, at their first reply. */
export async function listRepliedHours(sql: Sql, scope: MessageScope): Promise<HourCount[]> {
  return sql<HourCount[]>`
    select ${hourOf(sql, sql`at`, scope)} as hour, count(*) as count
    from (
      select min(created_at) as at
      from replies
      where account_id = ${scope.accountId}
        and message_id = ${scope.messageId}
      group by phone
    ) as replies
    group by hour
  `
}

export async function listOptedOutHours(sql: Sql, scope: MessageScope): Promise<HourCount[]> {
  return sql<HourCount[]>`
    select ${hourOf(sql, sql`created_at`, scope)} as hour, count(*) as count
    from opt_outs
    where account_id = ${scope.accountId}
      and message_id = ${scope.messageId}
    group by hour
  `
}

/** Visitors of a common link. Those that came after everybody had clicked do not count. */
export async function listVisitedHours(
  sql: Sql,
  { clicked, ...scope }: MessageScope & { clicked: number }
): Promise<HourCount[]> {
  return sql<HourCount[]>`
    select ${hourOf(sql, sql`created_at`, scope)} as hour, count(*) as count
    from (
      select created_at
      from link_visitors
      where account_id = ${scope.accountId}
        and message_id = ${scope.messageId}
      order by created_at
      limit ${clicked}
    ) as visitors
    group by hour
  `
}

export interface HourCount {
  hour: number
  count: number
}

function hourOf(sql: Sql, at: ReturnType<Sql>, { scheduledAt }: MessageScope) {
  // extract() would answer a numeric, which takes several times as long.
  const hours = sql`floor(date_part('epoch', ${at} - ${scheduledAt}::timestamptz) / 3600)`
  // least() and greatest() leave nulls out.
  return sql`case when ${at} is not null then least(${HOURS_MAX}::integer, greatest(0, ${hours}::integer)) end`
}
