import type { Sql } from '../database/database.ts'
import type { RedactedPdu } from '../smpp/redact-pdu.ts'

export interface Capture {
  carrier: string
  beganAt: Date
  endsAt: Date
}

/** With those that have ended and are not deleted yet: they have no time left. */
export async function listCaptures(sql: Sql): Promise<(Pick<Capture, 'carrier' | 'beganAt'> & { leftMs: number })[]> {
  return sql`
    select carrier, began_at, greatest(0, extract(epoch from ends_at - now()) * 1000)::double precision as left_ms
    from carrier_captures
  `
}

export async function findCapture(sql: Sql, carrier: string): Promise<Capture | undefined> {
  const [row] = await sql<Capture[]>`
    select carrier, began_at, ends_at
    from carrier_captures
    where carrier = ${carrier}
      and ends_at > now()
  `
  return row
}

/** Keeps others from beginning or ending a capture of the carrier, until the transaction ends. */
export async function lockCapture(sql: Sql, carrier: string): Promise<void> {
  // Without a capture there is no row, so the name is locked.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`carrier capture ${carrier}`}, 0))`
}

/** Begins one, or gives the one that runs this much time from now on. */
export async function upsertCapture(
  sql: Sql,
  { carrier, minutes }: { carrier: string; minutes: number }
): Promise<Capture> {
  const [row] = await sql<[Capture]>`
    insert into carrier_captures (carrier, ends_at)
    values (${carrier}, now() + make_interval(mins => ${minutes}))
    on conflict (carrier) do update
    set ends_at = excluded.ends_at
    returning carrier, began_at, ends_at
  `
  return row
}

export interface CapturedRow {
  slot: number
  owner: string
  pdus: RedactedPdu[]
}

/**
 * Replaces what a process keeps of a bind, while the capture runs. Its row is locked, and so is deleted only after the PDUs
 * are there to be deleted with it.
 */
export async function upsertCaptured(
  sql: Sql,
  { carrier, slot, owner, pdus }: CapturedRow & { carrier: string }
): Promise<void> {
  await sql`
    with running as (
      select carrier
      from carrier_captures
      where carrier = ${carrier}
        and ends_at > now()
      for update
    )
    insert into captured_pdus (carrier, slot, owner, pdus)
    select carrier, ${slot}, ${owner}, ${sql.json(pdus as never)}
    from running
    on conflict (carrier, slot, owner) do update
    set pdus = excluded.pdus
  `
}

export async function listCaptured(sql: Sql, carrier: string): Promise<CapturedRow[]> {
  return sql<CapturedRow[]>`
    select slot, owner, pdus
    from captured_pdus
    where carrier = ${carrier}
    order by slot, owner
  `
}

/** Deletes a capture, then its PDUs: a process that stores some meanwhile has finished, or finds no capture. */
export async function deleteCapture(sql: Sql, carrier: string): Promise<void> {
  await sql`delete from carrier_captures where carrier = ${carrier}`
  await sql`delete from captured_pdus where carrier = ${carrier}`
}

export async function deleteEndedCaptures(sql: Sql): Promise<void> {
  const ended = await sql<{ carrier: string }[]>`
    delete from carrier_captures
    where ends_at <= now()
    returning carrier
  `
  if (ended.length === 0) return
  await sql`delete from captured_pdus where carrier = any(${ended.map(({ carrier }) => carrier)})`
}
