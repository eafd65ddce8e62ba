import { PAYERS_CHANGED } from '../accounts/accounts.store.ts'
import { databaseNowMs } from '../database/clock.ts'
import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../http/log.ts'
import { type RunningWorker, startWorker } from '../workers/loop.ts'
import { LoadedTables } from './loaded-tables.ts'
import type { PriceBook, PricedAccount, PriceTable } from './price.ts'
import { BUILT_IN_PRICES } from './price-table.ts'
import {
  type CountingList,
  findPriceRegisterVersion,
  listAssignedLists,
  listVersionDates,
  PRICES_CHANGED,
  type VersionDate
} from './prices.store.ts'

/*
 * The prices in the memory of each process: sends and fallbacks look here without a query. NOTIFY tells of a change at
 * once. A lost notice costs little: each second asks whether prices or the lists of accounts have changed, and now and then
 * all is read again.
 */

const READ_PAUSE_MS = 1_000
const FULL_READ_MS = 10_000
/** A version is in memory so long before and after it counts. */
const MARGIN_MS = 60_000

export interface PriceBookReader extends PriceBook, Pick<RunningWorker, 'name' | 'stop'> {
  /** Reads what was committed up to now. The caller's own change counts in this process from then on. Never rejects. */
  reread(): Promise<void>
}

interface Contents {
  /** By list, the newest first: of several that are in force, the first counts. */
  versions: ReadonlyMap<number, readonly VersionDate[]>
  /** The lists of accounts, also of those that spend their parent's credits. */
  lists: ReadonlyMap<number, CountingList>
  defaultList: number | undefined
}

export async function readPriceBook(pool: Pool, log: Log): Promise<PriceBookReader> {
  let contents: Contents = { versions: new Map(), lists: new Map(), defaultList: undefined }
  let payersChanges = 0
  let last = { version: -1, payersChanges, at: Number.NEGATIVE_INFINITY }
  let reading: Promise<void> = Promise.resolve()
  const tables = new LoadedTables(pool)

  async function readNow(isForced: boolean): Promise<void> {
    // Before the rest: what changes meanwhile is read again.
    const now = { payersChanges, version: await findPriceRegisterVersion(pool), at: performance.now() }
    const isSame = now.version === last.version && now.payersChanges === last.payersChanges
    if (!isForced && isSame && now.at - last.at < FULL_READ_MS) return
    const assigned = await listAssignedLists(pool)
    const dates = await listVersionDates(pool, [...new Set(assigned.map(({ listId }) => listId))])
    const versions = Map.groupBy(dates, ({ listId }) => listId)
    const defaultList = dates.find(({ isDefault }) => isDefault)?.listId
    // Lists that nobody has stay in the database.
    const had = new Set([...assigned.map(({ listId }) => listId), ...(defaultList === undefined ? [] : [defaultList])])
    const wanted = new Set([...had].flatMap((listId) => aroundNow(versions.get(listId) ?? [])))
    await tables.load(wanted)
    tables.keep(wanted)
    contents = { versions, lists: new Map(assigned.map((list) => [list.accountId, list])), defaultList }
    last = now
  }

  /** One after the other: what a read finds is newer than what the one before it found. */
  function read({ isForced = false } = {}): Promise<void> {
    reading = reading.catch(() => undefined).then(() => readNow(isForced))
    return reading
  }

  /** The list that counts for an account by its own; undefined while it rests. */
  function ownList(accountId: number | null): CountingList | undefined {
    const list = accountId === null ? undefined : contents.lists.get(accountId)
    return list?.isResting ? undefined : list
  }

  function versionOf(listId: number | undefined, at: Date): PriceTable | undefined {
    if (listId === undefined) return undefined
    const version = contents.versions.get(listId)?.find(({ validFrom }) => validFrom <= at)
    if (!version) return undefined
    const table = tables.get(version.id)
    // Never the price of another list instead.
    if (!table) throw new Refusal(503, 'unavailable', 'The prices are being read; ask again.', { retryAfterSeconds: 1 })
    return table
  }

  await read()
  const worker = startWorker({
    name: 'reading price lists',
    work: () => read().then(() => ({ isMoreDue: false })),
    pauseMs: READ_PAUSE_MS,
    log
  })
  await pool.listen(PRICES_CHANGED, worker.wake, worker.wake)
  const wakeForPayers = () => {
    payersChanges++
    worker.wake()
  }
  await pool.listen(PAYERS_CHANGED, wakeForPayers, wakeForPayers)
  return {
    name: worker.name,
    get sellsConversations() {
      return tables.sellsConversations
    },
    forAccount({ accountId, parentId }: PricedAccount, at: Date): PriceTable {
      const { versions, defaultList } = contents
      if (versions.size === 0) return BUILT_IN_PRICES
      const list = ownList(accountId)
      const own = versionOf(list?.listId, at)
      if (own && !list?.isByParent) return own
      const above = versionOf(ownList(parentId)?.listId, at) ?? versionOf(defaultList, at) ?? BUILT_IN_PRICES
      return own ? tables.floored(own, above) : above
    },
    payerOf({ accountId, parentId }: PricedAccount): number | undefined {
      const list = contents.lists.get(accountId)
      return list?.isResting ? (parentId ?? undefined) : list?.accountId
    },
    byVersions: (versions) => tables.byVersions(versions),
    load: (versions) => tables.load(versions.flatMap(({ priceVersion, priceFloor }) => [priceVersion, priceFloor])),
    // The change is stored, and the worker reads again within a second.
    reread: () => read().catch((error) => log.warn({ err: error }, 'changed prices could not be read')),
    refresh: () => read({ isForced: true }),
    stop: worker.stop
  }
}

/**
 * The versions that sends may ask for until the next read: the one in force, those that begin soon, and the one before, which a
 * send asks for that was read just before its end. Others only count for messages that are there already.
 */
function aroundNow(versions: readonly VersionDate[]): number[] {
  const nowMs = databaseNowMs()
  const isOver = ({ validFrom }: VersionDate) => validFrom.getTime() <= nowMs - MARGIN_MS
  const hasBegun = ({ validFrom }: VersionDate) => validFrom.getTime() <= nowMs + MARGIN_MS
  const begun = versions.filter(hasBegun)
  // The newest comes first: of those that are over, the first counted when the margin began.
  const counted = begun.findIndex(isOver)
  return (counted === -1 ? begun : begun.slice(0, counted + 1)).map(({ id }) => id)
}
