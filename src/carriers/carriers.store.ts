import type { Sql } from '../database/database.ts'
import type { BindLease, BindStatus } from './carrier.ts'
import type { IdForm } from './message-ids.ts'

/**
 * Takes from the bucket of a carrier, which all processes share: it fills at `perSecond` up to `burst`. Up to `ahead`
 * more can be taken than it holds, and `left` is then below zero: it says how long to wait. The carrier must have its
 * row. A bucket that is emptier than `-ahead` was emptied at a higher throughput, and counts as if it were not.
 */
export async function takeTokens(
  sql: Sql,
  {
    carrier,
    perSecond,
    burst,
    ahead,
    wanted
  }: { carrier: string; perSecond: number; burst: number; ahead: number; wanted: number }
): Promise<{ granted: number; left: number } | undefined> {
  const [row] = await sql<{ granted: number; left: number }[]>`
    with filled as (
      select carrier, clock_timestamp() as at,
        least(
          ${burst}::double precision,
          greatest(-${ahead}::double precision, tokens) + ${perSecond}::double precision
            * greatest(0, extract(epoch from clock_timestamp() - refilled_at)::double precision)
        ) as tokens
      from carrier_states
      where carrier = ${carrier}
      for update
    ),
    bucket as (
      select carrier, at, tokens,
        floor(least(greatest(0, tokens + ${ahead}::double precision), ${wanted}::double precision)) as granted
      from filled
    )
    update carrier_states
    set tokens = bucket.tokens - bucket.granted, refilled_at = bucket.at
    from bucket
    where carrier_states.carrier = bucket.carrier
    returning bucket.granted::integer as granted, carrier_states.tokens as left
  `
  return row
}

/** Gives a carrier its row, if it has none. */
export async function insertCarrierState(sql: Sql, carrier: string): Promise<void> {
  await sql`
    insert into carrier_states (carrier)
    values (${carrier})
    on conflict do nothing
  `
}

interface Slots {
  carrier: string
  slots: number
  owner: string
  leaseMs: number
  /** So long after its end, a lease that a process has asked for is free for that process alone. */
  keptMs: number
  isOfferedWanted: boolean
}

/** Claims a free bind, or one that another process offers. */
export async function claimBind(
  sql: Sql,
  { carrier, slots, owner, leaseMs, keptMs, isOfferedWanted }: Slots
): Promise<Pick<BindLease, 'slot' | 'token'> | undefined> {
  await sql`
    insert into carrier_binds (carrier, slot, token, leased_until)
    select ${carrier}, slot, 0, '-infinity'
    from generate_series(1, ${slots}::integer) as slot
    on conflict do nothing
  `
  const [row] = await sql<{ slot: number; token: number }[]>`
    update carrier_binds
    set owner = ${owner},
        token = token + 1,
        leased_until = now() + make_interval(secs => ${leaseMs / 1000}),
        status = null,
        asked_by = null
    where carrier = ${carrier}
      and slot = (
        select slot
        from carrier_binds
        where carrier = ${carrier}
          and slot <= ${slots}
          and (
            (leased_until < now() and (asked_by is null or asked_by = ${owner}))
            or leased_until < now() - make_interval(secs => ${keptMs / 1000})
            or (${isOfferedWanted} and owner <> ${owner} and (status ->> 'isOffered')::boolean)
          )
        order by slot
        limit 1
        for update skip locked
      )
    returning slot, token
  `
  return row
}

/**
 * Asks the process that holds most binds of a carrier for one, if it holds at least two more than this process. A bind counts for
 * the process that has asked for it, so that as many are asked for as make it even.
 */
export async function askForBind(
  sql: Sql,
  { carrier, slots, owner }: Pick<Slots, 'carrier' | 'slots' | 'owner'>
): Promise<void> {
  await sql`
    with held as (
      select slot, owner, asked_by, coalesce(asked_by, owner) as keeper
      from carrier_binds
      where carrier = ${carrier}
        and slot <= ${slots}
        and leased_until >= now()
    ),
    keepers as (
      select keeper, count(*) as binds
      from held
      group by keeper
    )
    update carrier_binds
    set asked_by = ${owner}
    where carrier = ${carrier}
      and asked_by is null
      and slot = (
        select slot
        from held
        join keepers using (keeper)
        where asked_by is null
          and binds >= 2 + coalesce((select binds from keepers where keeper = ${owner}), 0)
        order by binds desc, slot desc
        limit 1
      )
  `
}

interface HeldSlot {
  carrier: string
  slot: number
  token: number
}

/**
 * Undefined when the bind was given back, or another process claimed it. A lease that only ran out can still be renewed.
 */
export async function renewBind(
  sql: Sql,
  { carrier, slot, token, leaseMs, status }: HeldSlot & { leaseMs: number; status: BindStatus }
): Promise<{ isAskedFor: boolean } | undefined> {
  const [row] = await sql<{ isAskedFor: boolean }[]>`
    update carrier_binds
    set leased_until = now() + make_interval(secs => ${leaseMs / 1000}), status = ${sql.json(status as never)}
    where carrier = ${carrier}
      and slot = ${slot}
      and token = ${token}
      and owner is not null
    returning asked_by is not null as is_asked_for
  `
  return row
}

/** It is free at once; one that was asked for, at first for the process that asked. */
export async function releaseBind(sql: Sql, { carrier, slot, token }: HeldSlot): Promise<void> {
  await sql`
    update carrier_binds
    set owner = null,
        leased_until = case when asked_by is null then '-infinity' else now() end,
        status = null
    where carrier = ${carrier}
      and slot = ${slot}
      and token = ${token}
  `
}

/** A bind that some process holds, with the status that it published. */
export interface HeldBind {
  carrier: string
  slot: number
  owner: string
  /** As JSON has it: moments are texts. */
  status: (Omit<BindStatus, 'boundAt' | 'stalledSince' | 'lastError'> & BindMoments) | null
}

interface BindMoments {
  boundAt: string | null
  stalledSince: string | null
  lastError: { at: string; message: string } | null
}

export async function listBinds(sql: Sql): Promise<HeldBind[]> {
  return sql<HeldBind[]>`
    select carrier, slot, owner, status
    from carrier_binds
    where leased_until >= now()
      and owner is not null
    order by carrier, slot
  `
}

export async function listIdForms(sql: Sql): Promise<{ carrier: string; idForm: IdForm }[]> {
  return sql`
    select carrier, id_form
    from carrier_states
    where id_form is not null
  `
}

export async function updateIdForm(sql: Sql, { carrier, idForm }: { carrier: string; idForm: IdForm }): Promise<void> {
  await sql`
    insert into carrier_states (carrier, id_form)
    values (${carrier}, ${idForm})
    on conflict (carrier) do update
    set id_form = excluded.id_form
  `
}

/**
 * The key that marks message ids as ours: the stored one, or `key` from now on. The first process to store it decides.
 */
export async function keepMessageIdKey(sql: Sql, { carrier, key }: { carrier: string; key: string }): Promise<string> {
  const [row] = await sql<[{ messageIdKey: string }]>`
    insert into carrier_states (carrier, message_id_key)
    values (${carrier}, ${key})
    on conflict (carrier) do update
    set message_id_key = coalesce(carrier_states.message_id_key, excluded.message_id_key)
    returning message_id_key
  `
  return row.messageIdKey
}

/** By carrier. */
export async function listMessageIdKeys(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ carrier: string; messageIdKey: string }[]>`
    select carrier, message_id_key
    from carrier_states
    where message_id_key is not null
  `
  return new Map(rows.map(({ carrier, messageIdKey }) => [carrier, messageIdKey]))
}
