import type { Database, Sql } from '../database/database.ts'
import { deleteOldest, type Retention } from '../database/delete-old.ts'
import { changeRanges, dropRange, listPartitions, readRanges } from '../database/id-ranges.store.ts'
import { type IdRange, isDroppedWhole } from '../database/id-ranges.ts'

const DAY_MS = 86_400_000

/**
 * Removes old events one by one from the partitions that are not dropped as a whole: the default partition, and ranges that took too
 * long to fill. Partition by partition, since rows are found by their place in one.
 */
export async function deleteOldEvents(sql: Sql, retention: Retention): Promise<number> {
  const { ranges } = await readRanges(sql, 'events')
  const except = ranges.filter((range) => isDroppedWhole(range, retention.days))
  let count = 0
  for (const partition of await listPartitions(sql, 'events', { except })) {
    if (count === retention.limit) break
    count += await deleteOldEventsOf(sql, partition, { ...retention, limit: retention.limit - count })
  }
  return count
}

/** Drops ranges of events that are all old, unless an active webhook has yet to get one of them. Returns how many. */
export async function dropOldEvents(database: Database, { days }: Pick<Retention, 'days'>): Promise<number> {
  const { now, ranges } = await readRanges(database, 'events')
  const isOld = ({ isMade, closedAt }: IdRange) =>
    isMade && closedAt && now.getTime() - closedAt.getTime() > days * DAY_MS
  let dropped = 0
  for (const range of ranges.filter(isOld)) {
    if (await isAwaited(database, range)) break
    await changeRanges(database, async (sql) => {
      const { ranges } = await readRanges(sql, 'events')
      if (!ranges.some(({ firstId }) => firstId === range.firstId) || (await isAwaited(sql, range))) return
      await dropRange(sql, range)
      dropped++
    })
  }
  return dropped
}

/** Whether an active webhook has yet to get an event of this range, or of one before. */
async function isAwaited(sql: Sql, { endId }: IdRange): Promise<boolean> {
  const [row] = await sql<[{ isAwaited: boolean }]>`
    select exists (
      select
      from webhooks
      cross join lateral (${awaitedOf(sql)}) as awaited (event_id)
      where is_active
        and event_id < ${endId}
    ) as is_awaited
  `
  return row.isAwaited
}

/** The first events of the queue of `webhooks`, and of its deliveries that are still to be tried. */
function awaitedOf(sql: Sql) {
  return sql`
    (
      select event_id
      from webhook_queue
      where webhook_queue.webhook_id = webhooks.id
      order by event_id
      limit 1
    )
    union all
    select event_ids[1]
    from webhook_deliveries
    where webhook_deliveries.webhook_id = webhooks.id
      and status in ('pending', 'retrying')
  `
}

/**
 * An event that an active webhook has yet to get stays, and so do all later events. A webhook fails for five days at most, so this
 * is not for long. Events that wait for an inactive webhook are removed after their time, like all others.
 */
async function deleteOldEventsOf(sql: Sql, partition: string, retention: Retention): Promise<number> {
  const kept = { table: partition, column: 'created_at', order: 'id' }
  return deleteOldest(
    sql,
    {
      ...kept,
      keptFrom: sql`
        select min(event_id)
        from webhooks
        cross join lateral (${awaitedOf(sql)}) as needed (event_id)
        where webhooks.account_id = firsts.account_id
          and is_active
      `
    },
    retention
  )
}

/** Removes old deliveries; a delivery that is still to be tried stays. */
export async function deleteOldDeliveries(sql: Sql, retention: Retention): Promise<number> {
  const kept = { table: 'webhook_deliveries', column: 'created_at', order: 'id' }
  return deleteOldest(sql, { ...kept, isOver: sql`status in ('succeeded', 'failed')` }, retention)
}
