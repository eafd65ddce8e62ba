import pg from 'pg'
import { type Connection, openConnection, type Server } from './connection.ts'
import { failure } from './failure.ts'
import { plainStatement, type Runner } from './sql.ts'
import { READ_ONLY } from './storage.ts'

/*
 * Each promotion of a standby begins a timeline with a higher number. A primary that comes back after its standby was
 * promoted is still on the timeline before, and takes writes that the others never see. So a process remembers the
 * newest timeline of its database, and uses no server that is on an older one. All pools of a process share this.
 *
 * A server with another system identifier holds another database, whatever its name is.
 */

/** Where a server is in the history of its database. */
export interface Lineage {
  systemId: string
  timeline: number
}

/** A primary, with the end of its log that is flushed: only that reaches a standby, and every commit waits for it. */
export interface PrimaryPosition extends Lineage {
  lsn: bigint
}

/** What a pool knows of the lineage of its database. */
export interface LineageGuard {
  /** Looks at all servers before the first is used: an old primary and its successor may both take writes. */
  survey(servers: readonly Server[]): Promise<void>
  /** Rejects a connection to a server that is no longer the primary. */
  admit(connection: Connection): Promise<void>
  /** Ends the pool's part. With the last pool, the lineage is forgotten. */
  leave(): void
}

interface Known {
  newest: Lineage | undefined
  survey: Promise<void> | undefined
  /** For each pool, a function that ends its connections to older timelines. */
  leavers: Set<(timeline: number) => void>
}

/** By database. */
const known = new Map<string, Known>()

/** From the name of the log's file: the control file may have the timeline before until the next checkpoint. */
export const PRIMARY_TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer"

const SURVEY_CONNECT_MS = 3_000

/** Joins the pools of a database. `leaveOlder` ends the connections to servers on a timeline before the given one. */
export function joinLineage(where: string, leaveOlder: (timeline: number) => void): LineageGuard {
  const shared = known.get(where) ?? { newest: undefined, survey: undefined, leavers: new Set() }
  known.set(where, shared)
  shared.leavers.add(leaveOlder)
  return {
    async survey(servers) {
      if (servers.length === 1 || shared.newest) return
      shared.survey ??= lookAtAll(servers, shared).finally(() => {
        shared.survey = undefined
      })
      await shared.survey
    },
    async admit(connection) {
      const lineage = await readPosition(connection)
      if (!lineage) return
      connection.timeline = lineage.timeline
      raise(shared, lineage)
      refuseOther(shared.newest as Lineage, lineage)
    },
    leave() {
      shared.leavers.delete(leaveOlder)
      if (shared.leavers.size === 0) known.delete(where)
    }
  }
}

/** The position of a primary; undefined where the server does not tell it, as some rented ones do. */
export async function readPosition(runner: Pick<Runner, 'run'>): Promise<PrimaryPosition | undefined> {
  try {
    const [row] = await runner.run(
      plainStatement(`
        select system_identifier::text as system_id,
          ${PRIMARY_TIMELINE} as timeline,
          (pg_current_wal_flush_lsn() - '0/0')::text as lsn
        from pg_control_system()
      `)
    )
    return { systemId: row?.systemId, timeline: row?.timeline, lsn: BigInt(row?.lsn) }
  } catch (error) {
    // Not supported, not in this state, not allowed or not known.
    if (error instanceof pg.DatabaseError && /^(0A|55|42)/.test(error.code ?? '')) return undefined
    throw error
  }
}

async function lookAtAll(servers: readonly Server[], shared: Known): Promise<void> {
  const lineages = await Promise.all(servers.map(lineageOfPrimary))
  for (const lineage of lineages) if (lineage) raise(shared, lineage)
}

/** A server that can't be reached, or is no primary, tells nothing. */
async function lineageOfPrimary(server: Server): Promise<Lineage | undefined> {
  let connection: Connection | undefined
  try {
    connection = await openConnection(server, { connectTimeoutMs: SURVEY_CONNECT_MS })
    if (connection.isReadOnly) return undefined
    const silent = setTimeout(() => connection?.destroy(), SURVEY_CONNECT_MS)
    return await readPosition(connection).finally(() => clearTimeout(silent))
  } catch {
    return undefined
  } finally {
    connection?.destroy()
  }
}

function raise(shared: Known, lineage: Lineage): void {
  const { newest } = shared
  if (newest && (newest.systemId !== lineage.systemId || newest.timeline >= lineage.timeline)) return
  shared.newest = lineage
  if (newest) for (const leaveOlder of shared.leavers) leaveOlder(lineage.timeline)
}

function refuseOther(newest: Lineage, { systemId, timeline }: Lineage): void {
  if (systemId !== newest.systemId) {
    throw failure(
      READ_ONLY,
      'the server holds another database than before (its system identifier differs); restart Chappe if that is meant'
    )
  }
  if (timeline < newest.timeline) {
    throw failure(
      READ_ONLY,
      `the server is an old primary: it is on timeline ${timeline}, and timeline ${newest.timeline} has begun elsewhere`
    )
  }
}
