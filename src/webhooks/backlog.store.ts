import type { Sql } from '../database/database.ts'

/** What waits for webhooks, and how they are doing. */
export interface Backlog {
  events: number
  /** 0 while nothing waits. */
  ageSeconds: number
  well: number
  failing: number
  disabled: number
}

/** More are not counted: each one is read. */
const EVENTS_MAX = 100_000

/** Of all accounts. The oldest event of each active webhook is one look-up in an index. */
export async function readBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql<[Backlog]>`
    select
      (select count(*) from (select from webhook_queue limit ${EVENTS_MAX}) as queued) as events,
      coalesce((
        select extract(epoch from now() - min(events.created_at))::double precision
        from webhooks
        cross join lateral (
          select event_id
          from webhook_queue
          where webhook_queue.webhook_id = webhooks.id
          order by event_id
          limit 1
        ) as first
        join events on events.account_id = webhooks.account_id and events.id = first.event_id
        where webhooks.is_active
      ), 0) as age_seconds,
      (select count(*) from webhooks where is_active and failing_since is null) as well,
      (select count(*) from webhooks where is_active and failing_since is not null) as failing,
      (select count(*) from webhooks where not is_active and disabled_reason is not null) as disabled
  `
  return row
}
