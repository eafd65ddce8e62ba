import type { Sql } from '../database/database.ts'
import type { CarrierPause, PauseMode } from './pause.ts'

export async function listPauses(sql: Sql): Promise<CarrierPause[]> {
  return sql<CarrierPause[]>`
    select carrier, mode, since
    from carrier_pauses
    order by carrier
  `
}

/** Keeps others from changing whether a carrier sends, until the transaction ends. Returns its pause. */
export async function lockPause(sql: Sql, carrier: string): Promise<CarrierPause | undefined> {
  // A carrier that sends has no row, so its name is locked.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`carrier pause ${carrier}`}, 0))`
  const [row] = await sql<CarrierPause[]>`
    select carrier, mode, since
    from carrier_pauses
    where carrier = ${carrier}
  `
  return row
}

export async function upsertPause(
  sql: Sql,
  { carrier, mode }: { carrier: string; mode: PauseMode }
): Promise<CarrierPause> {
  const [row] = await sql<[CarrierPause]>`
    insert into carrier_pauses (carrier, mode)
    values (${carrier}, ${mode})
    on conflict (carrier) do update
    set mode = excluded.mode, since = now()
    returning carrier, mode, since
  `
  return row
}

export async function deletePause(sql: Sql, carrier: string): Promise<void> {
  await sql`
    delete from carrier_pauses
    where carrier = ${carrier}
  `
}
