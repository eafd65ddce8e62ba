import type { Log } from '../http/log.ts'
import type { Pool, Sql } from './database.ts'

/*
 * Indexes on tables that may be large. A migration makes such an index only in an empty table: elsewhere nobody could write before
 * it is made. In other databases it is made here, while everybody reads and writes. Statements work without it, only slower.
 */

export const INDEXES: Record<string, string> = {
  messages_campaigns: `
    on messages (account_id, scheduled_at, id)
    where name is not null or recipients_count > 50 or scheduled_at - created_at > interval '1 minute'
  `
}

// Any number that no other program on the same database is likely to lock.
const BUILD_LOCK = 7_267_733_076

export interface BuildIndexesOptions {
  /** A pool of one connection, whose statements take as long as they need. */
  openLong(): Pool
  log: Log
}

export function createBuildIndexes(pool: Pool, { openLong, log }: BuildIndexesOptions) {
  return async (): Promise<{ isMoreDue: boolean }> => {
    if ((await listMissing(pool)).length > 0) await buildMissing(openLong(), log)
    return { isMoreDue: false }
  }
}

/** One process at a time. The lock is of the connection, and ends with it. */
async function buildMissing(long: Pool, log: Log): Promise<void> {
  try {
    const [row] = await long<[{ isMine: boolean }]>`select pg_try_advisory_lock(${BUILD_LOCK}) as is_mine`
    if (!row.isMine) return
    for (const { name, isBroken } of await listMissing(long)) {
      // On a cluster, an index may be broken at the coordinator and absent in a shard.
      if (isBroken) await long.unsafe(`drop index concurrently if exists ${name}`)
      log.info({ index: name }, 'index is being made')
      await long.unsafe(`create index concurrently ${name} ${INDEXES[name]}`)
      log.info({ index: name }, 'index is made')
    }
  } finally {
    await long.close(0)
  }
}

/** An index that was cut off while it was made is there, but of no use. */
function listMissing(sql: Sql): Promise<{ name: string; isBroken: boolean }[]> {
  return sql<{ name: string; isBroken: boolean }[]>`
    select name, indexrelid is not null as is_broken
    from unnest(${Object.keys(INDEXES)}::text[]) as wanted (name)
    left join pg_index on indexrelid = to_regclass(name)
    where indisvalid is not true
    order by name
  `
}
