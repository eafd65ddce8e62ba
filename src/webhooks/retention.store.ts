import type { Sql } from '../database/database.ts'
import { deleteOldest, type Retention } from '../database/delete-old.ts'

/**
 * An event that an active webhook has yet to get stays, and so do all later events. A webhook fails for five days at most, so this
 * is not for long. Events that wait for an inactive webhook are removed after their time, like all others.
 */
export async function deleteOldEvents(sql: Sql, retention: Retention): Promise<number> {
  const kept = { table: 'events', column: 'created_at', order: 'id' }
  return deleteOldest(
    sql,
    {
      ...kept,
      keptFrom: sql`
        select min(event_id)
        from webhooks
        cross join lateral (
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
        ) as needed (event_id)
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
