import type { Pool } from '../database/database.ts'
import type { CarrierLimits } from './carrier.ts'
import { askForBind, claimBind, insertCarrierState, releaseBind, renewBind, takeTokens } from './carriers.store.ts'

/** Another process takes over from a dead one after this, and then needs some time to bind. */
const LEASE_MS = 9_000
/** So long a bind that was asked for waits for the process that asked. */
const KEPT_MS = 10_000
/** How much of a second may leave in one go, after a pause. */
const BURST_SECONDS = 0.05

/** Keeps all processes of a cluster within what a carrier allows. `owner` names this process. */
export function createLimits(pool: Pool, { owner }: { owner: string }): CarrierLimits {
  return {
    async takeThroughput(carrier, perSecond, wanted, aheadMs = 0) {
      const ahead = (perSecond * aheadMs) / 1000
      const request = { carrier, perSecond, burst: Math.max(1, perSecond * BURST_SECONDS), ahead, wanted }
      let taken = await takeTokens(pool, request)
      if (!taken) {
        await insertCarrierState(pool, carrier)
        taken = await takeTokens(pool, request)
      }
      const { granted, left } = taken ?? { granted: 0, left: 0 }
      const waitMs = granted > 0 ? 0 : Math.ceil(((1 - left - ahead) * 1000) / perSecond)
      return { granted, ready: left + granted, waitMs }
    },
    leases: {
      async claim(carrier, slots, { isOfferedWanted, isShareWanted }) {
        const claim = { carrier, slots, owner, leaseMs: LEASE_MS, keptMs: KEPT_MS, isOfferedWanted }
        const lease = await claimBind(pool, claim)
        if (!lease && isShareWanted && slots > 1) await askForBind(pool, { carrier, slots, owner })
        return lease && { ...lease, leaseMs: LEASE_MS }
      },
      renew: (carrier, { slot, token, leaseMs }, status) => renewBind(pool, { carrier, slot, token, leaseMs, status }),
      release: (carrier, { slot, token }) => releaseBind(pool, { carrier, slot, token })
    }
  }
}
