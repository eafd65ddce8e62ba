import { strict as assert } from 'node:assert'
import { PAYERS_CHANGED } from '../accounts/accounts.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import type { PriceBook, PricedAccount, PriceTable } from './price.ts'
import { BUILT_IN_PRICES, createPriceTable } from './price-table.ts'
import {
  findPriceRegisterVersion,
  listAssignedLists,
  listPricesOf,
  listVersionDates,
  PRICES_CHANGED,
  type VersionDate
} from './prices.store.ts'

/*
 * The prices in the memory of each process: sends and fallbacks look here without a query. NOTIFY tells of a change at
 * once. The lists of accounts, and whether there are new versions, are also read every second: a lost notice costs no more.
 */

const READ_PAUSE_MS = 1_000

export interface PriceBookReader extends PriceBook, Pick<RunningWorker, 'name' | 'stop'> {
  /** Reads what was committed up to now. The caller's own change counts in this process from then on. */
  reread(): Promise<void>
}

interface Contents {
  /** By list, the newest first: of several that are in force, the first counts. */
  versions: ReadonlyMap<number, readonly VersionDate[]>
  /** The lists of accounts that pay by one of their own. */
  lists: ReadonlyMap<number, number>
  defaultList: number | undefined
}

export async function readPriceBook(pool: Pool, log: Log): Promise<PriceBookReader> {
  let contents: Contents = { versions: new Map(), lists: new Map(), defaultList: undefined }
  let readVersion = -1
  let reading: Promise<void> = Promise.resolve()
  const tables = new Map<number, PriceTable>()
  let sellsConversations = false

  async function load(versionIds: readonly (number | null)[]): Promise<void> {
    const missing = [...new Set(versionIds)].filter((id): id is number => id !== null && !tables.has(id))
    if (missing.length === 0) return
    const prices = Map.groupBy(await listPricesOf(pool, missing), ({ versionId }) => versionId)
    for (const id of missing) {
      const table = createPriceTable(id, prices.get(id) ?? [])
      tables.set(id, table)
      sellsConversations ||= table.sellsConversations
    }
  }

  async function readNow(): Promise<void> {
    // In this order: a list that an account has by now is among those that a change of the version leads to.
    const assigned = await listAssignedLists(pool)
    const version = await findPriceRegisterVersion(pool)
    let { versions, defaultList } = contents
    if (version !== readVersion) {
      const dates = await listVersionDates(pool)
      versions = Map.groupBy(dates, ({ listId }) => listId)
      defaultList = dates.find(({ isDefault }) => isDefault)?.listId
      await load([...versions.values()].flatMap(inForceOrLater))
    }
    contents = { versions, lists: new Map(assigned.map(({ accountId, listId }) => [accountId, listId])), defaultList }
    readVersion = version
  }

  /** One after the other: what a read finds is newer than what the one before it found. */
  function read(): Promise<void> {
    reading = reading.catch(() => undefined).then(readNow)
    return reading
  }

  function versionOf(listId: number | undefined, at: Date): PriceTable | undefined {
    if (listId === undefined) return undefined
    const version = contents.versions.get(listId)?.find(({ validFrom }) => validFrom <= at)
    return version && tables.get(version.id)
  }

  await read()
  const worker = startWorker({
    name: 'reading price lists',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    log
  })
  await pool.listen(PRICES_CHANGED, worker.wake, worker.wake)
  await pool.listen(PAYERS_CHANGED, worker.wake, worker.wake)
  return {
    name: worker.name,
    get sellsConversations() {
      return sellsConversations
    },
    forAccount({ accountId, parentId }: PricedAccount, at: Date): PriceTable {
      const { versions, lists, defaultList } = contents
      if (versions.size === 0) return BUILT_IN_PRICES
      return (
        versionOf(lists.get(accountId), at) ??
        versionOf(parentId === null ? undefined : lists.get(parentId), at) ??
        versionOf(defaultList, at) ??
        BUILT_IN_PRICES
      )
    },
    byVersion(versionId) {
      if (versionId === null) return BUILT_IN_PRICES
      const table = tables.get(versionId)
      assert(table, `version ${versionId} of the prices is not loaded`)
      return table
    },
    load,
    reread: read,
    stop: worker.stop
  }
}

/** The versions that sends may ask for: older ones only count for messages that are there already. */
function inForceOrLater(versions: readonly VersionDate[]): number[] {
  const now = databaseNow()
  const inForce = versions.findIndex(({ validFrom }) => validFrom <= now)
  return (inForce === -1 ? versions : versions.slice(0, inForce + 1)).map(({ id }) => id)
}
