import type { Sql } from '../database/database.ts'
import type { Trouble } from './alarm.ts'

/* Troubles that the database knows of. */

/** A look that finds so many may have found only some of them. */
export const TROUBLES_MAX = 10_000

/** So long after its end a key is still told of. */
const ENDED_DAYS = 7

export async function listDisabledWebhooks(sql: Sql): Promise<Trouble[]> {
  return sql<Trouble[]>`
    select account_id, 'webhook_disabled' as kind, id::text as subject, url as name, null::double precision as value,
      null::double precision as bound
    from webhooks
    where disabled_reason is not null
      and not is_active
    order by id desc
    limit ${TROUBLES_MAX}
  `
}

/** Keys that were in use and end soon, or ended lately, unless another took their place. */
export async function listExpiringKeys(sql: Sql, days: number): Promise<Trouble[]> {
  return sql<Trouble[]>`
    select account_id, 'key_expires' as kind, id::text as subject, name,
      floor(extract(epoch from expires_at - now()) / 86400)::double precision as value, ${days}::double precision as bound
    from api_keys
    where expires_at > now() - make_interval(days => ${ENDED_DAYS})
      and expires_at < now() + make_interval(days => ${days})
      and replaced_by is null
      and last_used_at > least(now(), expires_at) - interval '30 days'
    order by expires_at, id
    limit ${TROUBLES_MAX}
  `
}

/**
 * Carriers and countries of which far fewer recipients were reached in the last hour than in the week before it. With few
 * receipts, chance decides.
 */
export async function listLowRates(sql: Sql, operatorId: number): Promise<Trouble[]> {
  return sql<Trouble[]>`
    with hour as (
      select carrier, country, sum(delivered) as delivered, sum(delivered + undelivered) as reported
      from carrier_figures
      where span = 'five'
        and begins_at >= now() - interval '1 hour'
      group by carrier, country
      having sum(delivered + undelivered) >= 50
    ),
    week as (
      select carrier, country, sum(delivered) as delivered, sum(delivered + undelivered) as reported
      from carrier_figures
      where span = 'hour'
        and begins_at >= now() - interval '8 days'
        and begins_at < now() - interval '2 hours'
      group by carrier, country
      having sum(delivered + undelivered) >= 200
    )
    select ${operatorId}::bigint as account_id, 'delivery_rate_low' as kind, carrier || ' ' || country as subject,
      carrier || ' ' || country as name, round(100.0 * hour.delivered / hour.reported)::double precision as value,
      round(100.0 * week.delivered / week.reported)::double precision as bound
    from hour
    join week using (carrier, country)
    where hour.delivered::double precision / hour.reported < 0.8 * week.delivered / week.reported
    order by carrier, country
    limit ${TROUBLES_MAX}
  `
}

export async function readDatabaseGigabytes(sql: Sql): Promise<number> {
  const [row] = await sql<[{ gigabytes: number }]>`
    select pg_database_size(current_database())::double precision / 1e9 as gigabytes
  `
  return row.gigabytes
}
