import type { Sql } from '../database/database.ts'
import { dueSince } from './ready-batches.store.ts'

/** The ready batches of a lane. */
export interface QueueAge {
  lane: number
  batches: number
  recipients: number
  /** How long the oldest has been due. */
  seconds: number
}

/** Suspended accounts are left out. */
export async function listQueueAges(
  sql: Sql,
  { exceptAccountIds }: { exceptAccountIds: readonly number[] }
): Promise<QueueAge[]> {
  return sql<QueueAge[]>`
    select lane, count(*) as batches, sum(cardinality(positions)) as recipients,
      extract(epoch from now() - min(${dueSince(sql)}))::double precision as seconds
    from batches
    where is_ready
      and account_id <> all(${exceptAccountIds as number[]}::bigint[])
    group by lane
  `
}

export interface QueueByAge extends QueueAge {
  route: string
  /** Recipients that have been due for so long. */
  upToMinute: number
  upToFiveMinutes: number
  upToHour: number
  older: number
}

/** The ready batches of each route and lane, by age, the oldest first. Of all accounts. */
export async function listQueueByAge(sql: Sql): Promise<QueueByAge[]> {
  return sql<QueueByAge[]>`
    select route, lane, count(*) as batches, sum(recipients)::bigint as recipients, max(seconds) as seconds,
      coalesce(sum(recipients) filter (where seconds <= 60), 0)::bigint as up_to_minute,
      coalesce(sum(recipients) filter (where seconds > 60 and seconds <= 300), 0)::bigint as up_to_five_minutes,
      coalesce(sum(recipients) filter (where seconds > 300 and seconds <= 3600), 0)::bigint as up_to_hour,
      coalesce(sum(recipients) filter (where seconds > 3600), 0)::bigint as older
    from (
      select route, lane, cardinality(positions) as recipients,
        greatest(0, extract(epoch from now() - ${dueSince(sql)}))::double precision as seconds
      from batches
      where is_ready
    ) as ready
    group by route, lane
    order by seconds desc, route, lane
  `
}

/** Whether a batch of these routes has been due for so long without a lease holder. */
export async function isAnyOverdue(
  sql: Sql,
  {
    routes,
    seconds,
    exceptAccountIds
  }: { routes: readonly string[]; seconds: number; exceptAccountIds: readonly number[] }
): Promise<boolean> {
  const [row] = await sql<[{ isOverdue: boolean }]>`
    select exists (
      select
      from batches
      where is_ready
        and route = any(${routes as string[]}::text[])
        and ${dueSince(sql)} < now() - make_interval(secs => ${seconds})
        and (leased_until is null or leased_until < now() - make_interval(secs => ${seconds}))
        and account_id <> all(${exceptAccountIds as number[]}::bigint[])
    ) as is_overdue
  `
  return row.isOverdue
}
