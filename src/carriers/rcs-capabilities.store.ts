import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'

/** The answers about these phones that are recent enough. */
export function findCapabilities(
  sql: Sql,
  { carrier, phones, maxAgeSeconds }: { carrier: string; phones: readonly string[]; maxAgeSeconds: number }
) {
  return sql<{ phone: string; isCapable: boolean }[]>`
    select phone, is_capable
    from rcs_capabilities
    where carrier = ${carrier}
      and phone = any(${phones as string[]}::text[])
      and checked_at > now() - make_interval(secs => ${maxAgeSeconds})
  `
}

/** In the order of the phones: two processes that store the same phones must not wait for each other. */
export async function upsertCapabilities(
  sql: Sql,
  { carrier, known }: { carrier: string; known: ReadonlyMap<string, boolean> }
): Promise<void> {
  const phones = [...known.keys()].sort()
  await sql`
    insert into rcs_capabilities (carrier, phone, is_capable, checked_at)
    select ${carrier}, phone, is_capable::boolean, now()
    from unnest(
      ${phones}::text[],
      ${phones.map((phone) => (known.get(phone) ? 'true' : 'false'))}::text[]
    ) with ordinality as given (phone, is_capable, place)
    order by place
    on conflict (carrier, phone) do update
    set is_capable = excluded.is_capable, checked_at = excluded.checked_at
  `
}

export interface Capability {
  carrier: string
  isCapable: boolean
  checkedAt: Date
}

/**
 * The answers of all carriers about a phone. They belong to no account: every account that writes to the phone uses
 * them.
 */
export async function listCapabilitiesOfPhone(sql: Sql, phone: string): Promise<Capability[]> {
  return sql<Capability[]>`
    ${withCarriers(sql)}
    select carrier, is_capable, checked_at
    from rcs_capabilities
    where carrier in (select carrier from carriers)
      and phone = ${phone}
    order by carrier
  `
}

/** The carriers that have ever answered about a phone. */
export async function listCarriersAsked(sql: Sql): Promise<string[]> {
  const rows = await sql<{ carrier: string }[]>`
    ${withCarriers(sql)}
    select carrier
    from carriers
  `
  return rows.map(({ carrier }) => carrier)
}

/** The platform is asked again when a message needs to know. */
export async function deleteCapabilitiesOfPhone(sql: Sql, phone: string): Promise<void> {
  await sql`
    ${withCarriers(sql)}
    delete from rcs_capabilities
    where carrier in (select carrier from carriers)
      and phone = ${phone}
  `
}

/** The few carriers there are, by jumping from one to the next in the index, which has them first. */
function withCarriers(sql: Sql) {
  return sql`
    with recursive carriers as (
      (select carrier from rcs_capabilities order by carrier limit 1)
      union all
      select next.carrier
      from carriers
      cross join lateral (
        select rcs_capabilities.carrier
        from rcs_capabilities
        where rcs_capabilities.carrier > carriers.carrier
        order by rcs_capabilities.carrier
        limit 1
      ) as next
    )
  `
}

export async function deleteOldCapabilities(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'rcs_capabilities', column: 'checked_at', isIndexed: true }, retention)
}
