import type { Registry } from 'prom-client'
import type { Pool } from '../database/database.ts'
import { keptLook } from '../database/kept-look.ts'
import { addGauge } from '../metrics/gauge.ts'
import { listReserved } from './balances.store.ts'
import { MESSAGE_TYPES } from './credit.ts'

/** It reads the balance of every account. */
const KEPT_MS = 15_000

export function addCreditMetrics(registry: Registry, { pool }: { pool: Pool }): void {
  const look = keptLook(KEPT_MS, () => listReserved(pool))
  addGauge(registry, {
    name: 'chappe_credits_reserved',
    help: 'Credits that are reserved for recipients that have not left, by channel; of all accounts and processes.',
    label: 'channel',
    async read() {
      const rows = await look()
      return Object.entries(MESSAGE_TYPES).map(([channel, type]) => {
        return [channel, rows.find(({ messageType }) => messageType === type)?.reserved ?? 0]
      })
    }
  })
}
