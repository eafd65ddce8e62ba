import type { Pool } from '../database/database.ts'
import { deleteEndedCaptures, listCaptures, upsertCaptured } from './captures.store.ts'
import { type Carrier, isBoundCarrier } from './carrier.ts'

/** Lets the carriers of this process keep PDUs where the operator asked for it, and stores what they keep. */
export class CapturesFollower {
  readonly #pool: Pool
  readonly #owner: string
  /** What is stored of each bind, to store it again only when there is more. */
  #stored = new Map<string, string>()

  constructor(pool: Pool, { owner }: { owner: string }) {
    this.#pool = pool
    this.#owner = owner
  }

  /** Once a second. */
  async follow(carriers: Iterable<Carrier>): Promise<void> {
    const captures = await listCaptures(this.#pool)
    if (captures.some(({ leftMs }) => leftMs === 0)) await this.#pool.begin(deleteEndedCaptures)
    const stored = this.#stored
    this.#stored = new Map()
    for (const carrier of carriers) {
      if (!isBoundCarrier(carrier)) continue
      const capture = captures.find((each) => each.carrier === carrier.name)
      carrier.capturePdus(capture?.leftMs ?? 0)
      if (!capture || capture.leftMs === 0) continue
      for (const { slot, pdus, seen } of carrier.listCaptured()) {
        const bind = `${carrier.name} ${slot}`
        const state = `${capture.beganAt.toISOString()} ${seen}`
        if (stored.get(bind) !== state) {
          await upsertCaptured(this.#pool, { carrier: carrier.name, slot, owner: this.#owner, pdus })
        }
        this.#stored.set(bind, state)
      }
    }
  }
}
