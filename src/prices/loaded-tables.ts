import { strict as assert } from 'node:assert'
import type { Pool } from '../database/database.ts'
import type { PriceTable, PriceVersions } from './price.ts'
import { BUILT_IN_FLOOR, BUILT_IN_PRICES, createFlooredTable, createPriceTable } from './price-table.ts'
import { listPricesOf } from './prices.store.ts'

/** The tables of versions that were asked for. A version never changes, so it is read once. */
export class LoadedTables {
  readonly #pool: Pool
  readonly #tables = new Map<number, PriceTable>()
  /** Tables of two versions, by both. */
  readonly #floored = new Map<string, PriceTable>()
  /** Whether any of them has a price for conversations. */
  sellsConversations = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async load(versionIds: Iterable<number | null>): Promise<void> {
    const isMissing = (id: number | null): id is number => id !== null && id !== BUILT_IN_FLOOR && !this.#tables.has(id)
    const missing = [...new Set(versionIds)].filter(isMissing)
    if (missing.length === 0) return
    const prices = Map.groupBy(await listPricesOf(this.#pool, missing), ({ versionId }) => versionId)
    for (const id of missing) {
      const table = createPriceTable(id, prices.get(id) ?? [])
      this.#tables.set(id, table)
      this.sellsConversations ||= table.sellsConversations
    }
  }

  get(versionId: number): PriceTable | undefined {
    return this.#tables.get(versionId)
  }

  byVersions({ priceVersion, priceFloor }: PriceVersions): PriceTable {
    const table = this.#find(priceVersion)
    return priceFloor === null ? table : this.floored(table, this.#find(priceFloor))
  }

  floored(table: PriceTable, floor: PriceTable): PriceTable {
    const key = `${table.versions.priceVersion} ${floor.versions.priceVersion}`
    const known = this.#floored.get(key) ?? createFlooredTable(table, floor)
    this.#floored.set(key, known)
    return known
  }

  #find(versionId: number | null): PriceTable {
    if (versionId === null || versionId === BUILT_IN_FLOOR) return BUILT_IN_PRICES
    const table = this.#tables.get(versionId)
    assert(table, `version ${versionId} of the prices is not loaded`)
    return table
  }
}
