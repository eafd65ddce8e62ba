import type { Log } from '../http/log.ts'
import { type ConnectionShares, createConnectionShares } from './connection-shares.ts'
import { connect, type Pool } from './database.ts'
import { judge, PRIMARY_SILENT, type PrimaryLooks, type Problem, type ReplicaLook } from './freshness.ts'
import { PRIMARY_TIMELINE } from './lineage.ts'

/** Reads of requests; the server needs one more for the looks. */
const CONNECTIONS_MAX = 8
const ANSWER_MAX_MS = 2_000

/** A standby that is read from while its data is young enough. */
export interface Replica {
  /** Its host, and its port if the URL names one. */
  name: string
  shares: ConnectionShares
  /** Whether it may be read at this moment. */
  readonly isUsable: boolean
  /** The age of its data, as far as it is known. */
  readonly lagSeconds: number | undefined
  /** Looks at it, and says in the log when it is left out or used again. */
  look(looks: PrimaryLooks): Promise<void>
  close(timeoutSeconds: number): Promise<void>
}

export interface ReplicaOptions {
  name: string
  url: string
  lagMaxMs: number
  applicationName: string
  log: Log
}

export function openReplica({ name, url, lagMaxMs, applicationName, log }: ReplicaOptions): Replica {
  const pool = connect({ url, applicationName, connectionsMax: CONNECTIONS_MAX, kind: 'standby' })
  // Apart from the reads, so that a look never waits for them; and of any kind, to tell what it has become.
  const lookPool = connect({ url, applicationName: `${applicationName} looks`, connectionsMax: 1, kind: 'any' })
  const ask = within(ANSWER_MAX_MS, () => readReplica(lookPool))
  let problem: Problem | undefined = NOT_KNOWN_YET
  let freshAtMs: number | undefined

  const ageMs = () => (freshAtMs === undefined ? Number.POSITIVE_INFINITY : performance.now() - freshAtMs)

  async function findProblem(looks: PrimaryLooks): Promise<Problem | undefined> {
    let look: ReplicaLook
    try {
      look = await ask()
    } catch (error) {
      return { kind: 'unreachable', reason: (error as Error).message || 'it cannot be reached' }
    }
    const judgement = judge(look, looks)
    if ('problem' in judgement) return judgement.problem
    freshAtMs = judgement.freshAtMs
    // A replica that was left out comes back well below the bound, so that it does not come and go at it.
    if (ageMs() <= (problem?.kind === 'behind' ? lagMaxMs / 2 : lagMaxMs)) return undefined
    if (isBefore(looks.last, lagMaxMs)) return PRIMARY_SILENT
    // Its data is older than the first look at the primary, which was a moment ago.
    if (freshAtMs === undefined && !isBefore(looks.first, lagMaxMs)) return NOT_KNOWN_YET
    return { kind: 'behind', reason: `it is more than ${lagMaxMs / 1000} s behind the primary` }
  }

  function tell(found: Problem | undefined): void {
    if (!found) log.info({ replica: name }, 'read replica is used')
    else if (found.kind === 'primary') log.info({ replica: name, reason: found.reason }, 'read replica is left out')
    else log.warn({ replica: name, reason: found.reason }, 'read replica is left out')
  }

  return {
    name,
    shares: createConnectionShares(pool, CONNECTIONS_MAX),
    get isUsable() {
      return problem === undefined && ageMs() <= lagMaxMs
    },
    get lagSeconds() {
      return freshAtMs === undefined ? undefined : ageMs() / 1000
    },
    async look(looks) {
      const found = await findProblem(looks)
      if (found?.kind !== problem?.kind) tell(found)
      problem = found
    },
    async close(timeoutSeconds) {
      await Promise.all([pool.close(timeoutSeconds), lookPool.close(timeoutSeconds)])
    }
  }
}

const NOT_KNOWN_YET: Problem = { kind: 'new', reason: 'its age is not known yet' }

function isBefore(look: { atMs: number } | undefined, agoMs: number): boolean {
  return look !== undefined && performance.now() - look.atMs > agoMs
}

/**
 * A standby tells its timeline by its control file, which is written at its checkpoints; to a member of `pg_monitor`
 * also by its receiver, at once.
 */
async function readReplica(sql: Pool): Promise<ReplicaLook> {
  const [row] = await sql.unsafe<[Omit<ReplicaLook, 'lsn'> & { lsn: string | null }]>(`
    select system_identifier::text as system_id,
      pg_is_in_recovery() as is_in_recovery,
      (pg_last_wal_replay_lsn() - '0/0')::text as lsn,
      case
        when pg_is_in_recovery() then greatest(
          (select timeline_id from pg_control_checkpoint()),
          (select min_recovery_end_timeline from pg_control_recovery()),
          (select received_tli from pg_stat_wal_receiver)
        )
        else ${PRIMARY_TIMELINE}
      end as timeline
    from pg_control_system()
  `)
  return { ...row, lsn: row.lsn === null ? null : BigInt(row.lsn) }
}

/**
 * Asks, and rejects if there is no answer in time. While one question is open, nobody asks a second one: its answer,
 * however late, counts for both.
 */
export function within<T>(timeoutMs: number, ask: () => Promise<T>): () => Promise<T> {
  let open: Promise<T> | undefined
  return async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`it did not answer within ${timeoutMs / 1000} s`)), timeoutMs)
    open ??= ask().finally(() => {
      open = undefined
    })
    try {
      return await Promise.race([open, promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
