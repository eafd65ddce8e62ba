import type { Pool } from '../database/database.ts'
import type { Refusal } from '../errors.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { refusalOf } from './standing.ts'
import { listSuspendedAccounts, type SuspendedAccount } from './suspended-accounts.store.ts'

/*
 * The accounts from which nothing may leave, in the memory of each process: requests, claims and submits look here without
 * a query. NOTIFY tells of a change at once. The list is also read twice a second, so that a lost notice costs no more.
 */

const READ_PAUSE_MS = 500

export interface SuspendedAccounts {
  has(accountId: number): boolean
  ids(): readonly number[]
  /** Why requests for this account are refused, if the list was read after this time; undefined for an open one. */
  refusalSince(accountId: number, readAtMs: number): Refusal | undefined
}

export interface SuspendedAccountsReader extends SuspendedAccounts, Pick<RunningWorker, 'name' | 'stop'> {
  /** The list may have changed. */
  wake(): void
  /** Calls back with the accounts whose standing has changed. */
  onChange(listener: (accountIds: readonly number[]) => void): void
}

export const NONE_SUSPENDED: SuspendedAccounts = { has: () => false, ids: () => [], refusalSince: () => undefined }

export async function readSuspendedAccounts(pool: Pool, log: Log): Promise<SuspendedAccountsReader> {
  const listeners: ((accountIds: readonly number[]) => void)[] = []
  let accounts = new Map<number, SuspendedAccount & { refusal: Refusal | undefined }>()
  let ids: readonly number[] = []

  let listReadAtMs = 0

  async function read(): Promise<void> {
    const startedAtMs = performance.now()
    const rows = await listSuspendedAccounts(pool)
    listReadAtMs = startedAtMs
    const before = accounts
    const found = new Set(rows.map(({ id }) => id))
    const changed = [...before.keys()].filter((id) => !found.has(id))
    accounts = new Map(rows.map((row) => [row.id, { ...row, refusal: refusalOf(row) }]))
    ids = [...accounts.keys()]
    for (const row of rows) {
      const known = before.get(row.id)
      if (known?.standing !== row.standing || known.standingReason !== row.standingReason) changed.push(row.id)
    }
    if (changed.length > 0) for (const listener of listeners) listener(changed)
  }

  await read()
  const worker = startWorker({
    name: 'reading suspended accounts',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    firstPauseMs: READ_PAUSE_MS,
    log
  })
  return {
    name: worker.name,
    has: (accountId) => accounts.has(accountId),
    ids: () => ids,
    refusalSince: (accountId, readAtMs) => (listReadAtMs > readAtMs ? accounts.get(accountId)?.refusal : undefined),
    wake: worker.wake,
    onChange: (listener) => listeners.push(listener),
    stop: worker.stop
  }
}
