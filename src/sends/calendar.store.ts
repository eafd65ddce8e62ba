import type { Sql } from '../database/database.ts'
import type { Channel, MessageState } from '../messages/message.ts'

/** A campaign of one day, and how many campaigns that day has. */
export interface CalendarRow {
  day: string
  campaignsCount: number
  id: number
  name: string | null
  preview: string
  channel: Channel
  state: MessageState
  pausedAt: Date | null
  scheduledAt: Date
  recipientsCount: number
  isDeparting: boolean
}

export interface CalendarDay {
  day: string
  from: Date
  before: Date
}

/**
 * The first campaigns of each day, by their time. Each day is a range of the index `messages_campaigns`, whose condition is
 * repeated here, and at most `countMax` messages of it are read.
 */
export function listCampaignsByDay(
  sql: Sql,
  {
    accountId,
    days,
    listedMax,
    countMax
  }: { accountId: number; days: readonly CalendarDay[]; listedMax: number; countMax: number }
): Promise<CalendarRow[]> {
  return sql<CalendarRow[]>`
    select days.day, campaigns.*
    from unnest(
      ${days.map(({ day }) => day)}::text[],
      ${days.map(({ from }) => from)}::timestamptz[],
      ${days.map(({ before }) => before)}::timestamptz[]
    ) as days (day, from_at, before_at)
    cross join lateral (
      select count(*) over () as campaigns_count, id, name, left(content, 160) as preview, channel, state, paused_at,
        scheduled_at, recipients_count,
        exists (
          select
          from departures
          where departures.account_id = ${accountId}
            and departures.message_id = counted.id
            and problem is null
        ) as is_departing
      from (
        select id, name, content, channel, state, paused_at, scheduled_at, recipients_count
        from messages
        where account_id = ${accountId}
          and scheduled_at >= days.from_at
          and scheduled_at < days.before_at
          and (name is not null or recipients_count > 50 or scheduled_at - created_at > interval '1 minute')
        order by scheduled_at, id
        limit ${countMax}
      ) as counted
      order by scheduled_at, id
      limit ${listedMax}
    ) as campaigns
    order by days.day, scheduled_at, id
  `
}
