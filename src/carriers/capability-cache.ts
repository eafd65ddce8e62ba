import type { Pool } from '../database/database.ts'
import type { CapabilityCache } from './carrier.ts'
import { findCapabilities, upsertCapabilities } from './rcs-capabilities.store.ts'

const MAX_AGE_SECONDS = 86_400

/** What the platform said of phones, for all processes and for a day: a phone may lose RCS, or get it. */
export function createCapabilityCache(pool: Pool, { maxAgeSeconds = MAX_AGE_SECONDS } = {}): CapabilityCache {
  return {
    async find(carrier, phones) {
      const rows = await findCapabilities(pool, { carrier, phones, maxAgeSeconds })
      return new Map(rows.map(({ phone, isCapable }) => [phone, isCapable]))
    },
    async store(carrier, known) {
      if (known.size > 0) await upsertCapabilities(pool, { carrier, known })
    }
  }
}
