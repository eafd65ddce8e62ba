import type { Lineage, PrimaryPosition } from './lineage.ts'

/*
 * How old the data of a replica is. The time of its last transaction does not tell: on a quiet primary it grows although
 * nothing is missing. So the primary is asked again and again how far its log is. A replica that has replayed the log up
 * to there has everything that was committed when the primary was asked.
 */

/** A look at the primary: where its log was when it was asked. */
export interface PrimaryLook extends PrimaryPosition {
  /** When it was asked, by the monotonic clock of this process. */
  atMs: number
}

/** A look at a replica. */
export interface ReplicaLook extends Lineage {
  isInRecovery: boolean
  /** How far it has replayed the log; null before the first record. */
  lsn: bigint | null
}

/** The looks at the primary of the last `keptMs`. */
export class PrimaryLooks {
  readonly #keptMs: number
  #looks: PrimaryLook[] = []

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  get first(): PrimaryLook | undefined {
    return this.#looks[0]
  }

  get last(): PrimaryLook | undefined {
    return this.#looks.at(-1)
  }

  add(look: PrimaryLook): void {
    const { last } = this
    // Positions of another timeline can't be compared with these.
    const isOther = last && (last.systemId !== look.systemId || last.timeline !== look.timeline)
    this.#looks = isOther ? [] : this.#looks.filter(({ atMs }) => atMs > look.atMs - this.#keptMs)
    this.#looks.push(look)
  }

  /** The time at which everything was committed that is in the log up to here; undefined if it is too long ago. */
  timeOf(lsn: bigint): number | undefined {
    return this.#looks.findLast((look) => look.lsn <= lsn)?.atMs
  }
}

/** Why a replica is not read. */
export interface Problem {
  kind: 'new' | 'primary' | 'promoted' | 'other-database' | 'other-timeline' | 'behind' | 'unknown' | 'unreachable'
  reason: string
}

export const PRIMARY_SILENT: Problem = {
  kind: 'unknown',
  reason: 'its age is not known: the primary does not answer'
}

/** What a look at a replica tells, when the primary was looked at before: a problem, or the time that its data is of. */
export function judge(
  look: ReplicaLook,
  looks: PrimaryLooks
): { problem: Problem } | { freshAtMs: number | undefined } {
  const { last } = looks
  if (!last) return { problem: PRIMARY_SILENT }
  if (look.systemId !== last.systemId) {
    return { problem: { kind: 'other-database', reason: 'it holds another database: its system identifier differs' } }
  }
  if (!look.isInRecovery && look.timeline === last.timeline) {
    return { problem: { kind: 'primary', reason: 'it is the primary' } }
  }
  if (!look.isInRecovery) {
    return { problem: { kind: 'promoted', reason: 'it was promoted, and goes its own way' } }
  }
  if (look.timeline !== last.timeline) {
    const reason = `it is on timeline ${look.timeline}, and the primary is on timeline ${last.timeline}`
    return { problem: { kind: 'other-timeline', reason } }
  }
  return { freshAtMs: look.lsn === null ? undefined : looks.timeOf(look.lsn) }
}
