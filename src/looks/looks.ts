import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { BUILT_IN, type Look, type LookHosts, logoName, NO_HOSTS } from './look.ts'
import { LOOKS_CHANGED, listHosts, listLooks, type StoredHost, type StoredLook } from './looks.store.ts'

/*
 * The looks of all top-level accounts, in the memory of each process: no request asks the database for one. NOTIFY tells of a
 * change at once. The list is also read from time to time, so that a lost notice costs no more.
 */

const READ_PAUSE_MS = 5_000

export interface Looks {
  /** The top-level account that a host name belongs to; undefined for the operator's own hosts and for unknown ones. */
  familyAt(host: string): number | undefined
  /** The look of the pages at a host. */
  at(host: string): Look
  /** The look of a top-level account, which is the operator's if it has chosen none. */
  of(topLevelId: number | undefined): Look
  /** Whether a top-level account has chosen a look. */
  hasOwn(topLevelId: number | undefined): boolean
  hostsOf(topLevelId: number): LookHosts
  /** The look with the logo of this file name. */
  withLogo(fileName: string): StoredLook | undefined
}

export interface LooksReader extends Looks, Pick<RunningWorker, 'name' | 'stop'> {
  /** Applies a committed change in this process at once. */
  applyLook(accountId: number, look: StoredLook | undefined): void
  applyHosts(accountId: number, hosts: LookHosts): void
}

/** `ownHosts` are those of the operator's settings: they are never a family's, whatever the database says. */
export async function readLooks(
  pool: Pool,
  { ownHosts, log }: { ownHosts: readonly string[]; log: Log }
): Promise<LooksReader> {
  let known = toKnown([], [], ownHosts)
  let readCount = 0
  async function read(): Promise<void> {
    const turn = ++readCount
    const [looks, hosts] = [await listLooks(pool), await listHosts(pool)]
    // A read that began later knows more.
    if (turn === readCount) known = toKnown(looks, hosts, ownHosts)
  }
  await read()
  const worker = startWorker({
    name: 'reading looks',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    firstPauseMs: READ_PAUSE_MS,
    log
  })
  await pool.listen(LOOKS_CHANGED, worker.wake, worker.wake)
  function apply(looks: readonly StoredLook[], hosts: readonly StoredHost[]): void {
    // A read that began before the commit does not know of it.
    readCount++
    known = toKnown(looks, hosts, ownHosts)
    worker.wake()
  }
  const of = (topLevelId: number | undefined): Look => known.byAccount.get(topLevelId ?? 0) ?? known.operator
  return {
    name: worker.name,
    stop: worker.stop,
    familyAt: (host) => known.families.get(host.toLowerCase()),
    at: (host) => of(known.families.get(host.toLowerCase())),
    of,
    hasOwn: (topLevelId) => known.byAccount.has(topLevelId ?? 0),
    hostsOf: (topLevelId) => known.hostsOf.get(topLevelId) ?? NO_HOSTS,
    withLogo: (fileName) => known.byLogo.get(fileName),
    applyLook(accountId, look) {
      apply([...known.looks.filter((other) => other.accountId !== accountId), ...(look ? [look] : [])], known.hosts)
    },
    applyHosts(accountId, hosts) {
      apply(known.looks, [...known.hosts.filter((other) => other.accountId !== accountId), ...toRows(accountId, hosts)])
    }
  }
}

/** The rows of the database, and the ways to find them. */
function toKnown(looks: readonly StoredLook[], hosts: readonly StoredHost[], ownHosts: readonly string[]) {
  const theirs = hosts.filter(({ host }) => !ownHosts.includes(host))
  const hostsOf = new Map<number, LookHosts>()
  for (const { accountId, kind, host } of theirs) {
    hostsOf.set(accountId, { ...(hostsOf.get(accountId) ?? NO_HOSTS), [kind]: host })
  }
  return {
    looks,
    hosts,
    hostsOf,
    byAccount: new Map(looks.map((look) => [look.accountId, look])),
    byLogo: new Map(looks.flatMap((look) => (look.logo ? [[logoName(look.logo), look] as const] : []))),
    operator: looks.find(({ isOperator }) => isOperator) ?? BUILT_IN,
    families: new Map(theirs.map(({ host, accountId }) => [host, accountId]))
  }
}

export function toRows(accountId: number, hosts: LookHosts): StoredHost[] {
  return (['console', 'links'] as const).flatMap((kind) => {
    const host = hosts[kind]
    return host === null ? [] : [{ accountId, kind, host }]
  })
}

/** An address with another host name: scheme, port and path stay those of the operator's. */
export function atHost(address: string, host: string | null): string {
  if (host === null) return address
  const url = new URL(address)
  url.hostname = host
  return url.href.replace(/\/$/, '')
}
