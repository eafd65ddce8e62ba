import type { Sql } from '../database/database.ts'
import type { TrafficStatus } from './carrier.ts'

/** How a carrier without binds is doing in one process. */
export interface ProcessStatus {
  carrier: string
  owner: string
  isUp: boolean
  traffic: TrafficStatus
}

/** Each process writes its own every second, for all to see. */
export async function upsertStatuses(sql: Sql, statuses: readonly ProcessStatus[]): Promise<void> {
  if (statuses.length === 0) return
  await sql`
    insert into carrier_statuses (carrier, owner, status, told_at)
    select carrier, owner::uuid, status::jsonb, now()
    from unnest(
      ${statuses.map(({ carrier }) => carrier)}::text[],
      ${statuses.map(({ owner }) => owner)}::text[],
      ${statuses.map(({ isUp, traffic }) => JSON.stringify({ isUp, ...traffic }))}::text[]
    ) as given (carrier, owner, status)
    order by carrier
    on conflict (carrier, owner) do update
    set status = excluded.status, told_at = excluded.told_at
  `
}

/** Deletes the statuses of a process that stops, and of all processes that have been silent for so long. */
export async function deleteStatuses(sql: Sql, { owner, seconds }: { owner: string; seconds: number }): Promise<void> {
  await sql`
    delete from carrier_statuses
    where owner = ${owner}
      or told_at < now() - make_interval(secs => ${seconds})
  `
}

/** As JSON has it: moments are texts. */
export interface StoredStatus {
  carrier: string
  owner: string
  status: Omit<TrafficStatus, 'lastError'> & { isUp: boolean; lastError: { at: string; message: string } | null }
}

/** Of processes that have written theirs within so many seconds. */
export async function listStatuses(sql: Sql, { seconds }: { seconds: number }): Promise<StoredStatus[]> {
  return sql<StoredStatus[]>`
    select carrier, owner, status
    from carrier_statuses
    where told_at >= now() - make_interval(secs => ${seconds})
    order by carrier, owner
  `
}
