import { strict as assert } from 'node:assert'
import type { Pool } from '../database/database.ts'
import type { PriceTable, PriceVersions } from './price.ts'
import { BUILT_IN_FLOOR, BUILT_IN_PRICES, createFlooredTable, createPriceTable } from './price-table.ts'
import { listPricesOf } from './prices.store.ts'

/** How long a version that no longer counts is kept for the next fallback. */
const UNUSED_MAX_MS = 600_000

/** The tables of versions that were asked for. A version never changes, so it is read once. */
export class LoadedTables {
  readonly #pool: Pool
  readonly #tables = new Map<number, { table: PriceTable; usedAt: number }>()
  /** Tables of two versions, by both. */
  readonly #floored = new Map<string, PriceTable>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async load(versionIds: Iterable<number | null>): Promise<void> {
    const isStored = (id: number | null): id is number => id !== null && id !== BUILT_IN_FLOOR
    for (const id of new Set([...versionIds].filter(isStored))) {
      // One at a time: a version has up to 20,000 prices.
      const table = this.get(id) ?? createPriceTable(id, await listPricesOf(this.#pool, id))
      this.#tables.set(id, { table, usedAt: performance.now() })
    }
  }

  /** Forgets all others that nobody has asked for lately. */
  keep(versionIds: ReadonlySet<number>): void {
    const now = performance.now()
    for (const [id, { usedAt }] of this.#tables) {
      if (!versionIds.has(id) && now - usedAt > UNUSED_MAX_MS) this.#tables.delete(id)
    }
    this.#floored.clear()
  }

  /** Whether any of them has a price for conversations. */
  get sellsConversations(): boolean {
    for (const { table } of this.#tables.values()) if (table.sellsConversations) return true
    return false
  }

  get(versionId: number): PriceTable | undefined {
    return this.#tables.get(versionId)?.table
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
    const table = this.get(versionId)
    assert(table, `version ${versionId} of the prices is not loaded`)
    return table
  }
}
