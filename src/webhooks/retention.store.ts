import type { Sql } from '../database/database.ts'

interface Retention {
  days: number
  limit: number
}

/** Removes events that were kept long enough, a little at a time; tells how many. Of any account: for workers. */
export async function deleteOldEvents(sql: Sql, { days, limit }: Retention): Promise<number> {
  const { count } = await sql`
    delete from events
    where ctid = any(array(
      select ctid
      from events
      where created_at < now() - make_interval(days => ${days})
      limit ${limit}
    ))
  `
  return count
}

/** The same for the history of deliveries; one that is still to be tried is kept. */
export async function deleteOldDeliveries(sql: Sql, { days, limit }: Retention): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries
    where ctid = any(array(
      select ctid
      from webhook_deliveries
      where created_at < now() - make_interval(days => ${days})
        and status in ('succeeded', 'failed')
      limit ${limit}
    ))
  `
  return count
}
