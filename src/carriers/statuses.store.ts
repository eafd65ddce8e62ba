import type { Sql } from '../database/database.ts'
import type { RcsStatus } from './carrier.ts'

/** How a carrier of RCS is doing in one process. */
export interface ProcessStatus {
  carrier: string
  owner: string
  isUp: boolean
  rcs: RcsStatus
}

/** Told again and again by each process, for everybody to see. */
export async function upsertStatuses(sql: Sql, statuses: readonly ProcessStatus[]): Promise<void> {
  if (statuses.length === 0) return
  await sql`
    insert into carrier_statuses (carrier, owner, status, told_at)
    select carrier, owner::uuid, status::jsonb, now()
    from unnest(
      ${statuses.map(({ carrier }) => carrier)}::text[],
      ${statuses.map(({ owner }) => owner)}::text[],
      ${statuses.map(({ isUp, rcs }) => JSON.stringify({ isUp, ...rcs }))}::text[]
    ) as given (carrier, owner, status)
    order by carrier
    on conflict (carrier, owner) do update
    set status = excluded.status, told_at = excluded.told_at
  `
}

/** Those of a process that stops, or of processes that have said nothing for so long that they are gone. */
export async function deleteStatuses(sql: Sql, { owner, seconds }: { owner: string; seconds: number }): Promise<void> {
  await sql`
    delete from carrier_statuses
    where owner = ${owner}
      or told_at < now() - make_interval(secs => ${seconds})
  `
}

/** As JSON has it: moments are texts. */
export interface ToldStatus {
  carrier: string
  owner: string
  status: Omit<RcsStatus, 'lastError'> & { isUp: boolean; lastError: { at: string; message: string } | null }
}

/** Of processes that have told within so many seconds. */
export async function listStatuses(sql: Sql, { seconds }: { seconds: number }): Promise<ToldStatus[]> {
  return sql<ToldStatus[]>`
    select carrier, owner, status
    from carrier_statuses
    where told_at >= now() - make_interval(secs => ${seconds})
    order by carrier, owner
  `
}
