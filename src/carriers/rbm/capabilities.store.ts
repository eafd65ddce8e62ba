import type { Sql } from '../../database/database.ts'

/** Of these phones, those that were asked about lately. */
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

/** In the order of the phones: two that store the same ones must not wait for each other. */
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
