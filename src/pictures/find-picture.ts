import type { Pool } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { fetchPictureOfAnyAccount, type ServedPicture } from './pictures.store.ts'

/** Look-ups at once. More would take connections away from requests of customers. */
const LOOK_UPS_MAX = 2
/** Requests that wait for a look-up. More would only be answered late. */
const WAITING_MAX = 500
/** A campaign's picture is fetched by thousands at once. Not kept for long, since a picture may be deleted. */
const FRESH_MS = 30_000
const KEPT_BYTES_MAX = 32 * 1024 * 1024

export type FindPicture = (code: string) => Promise<ServedPicture | undefined>

/** Finds pictures for strangers: those who ask for the same one share its look-up and its bytes. */
export function createFindPicture(pool: Pool): FindPicture {
  const kept = new Map<string, { picture: Promise<ServedPicture | undefined>; bytes: number; freshUntil: number }>()
  const queue: (() => void)[] = []
  let [running, bytes] = [0, 0]

  async function lookUp(code: string): Promise<ServedPicture | undefined> {
    if (running >= LOOK_UPS_MAX) {
      if (queue.length >= WAITING_MAX) throw busy()
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await fetchPictureOfAnyAccount(pool, code)
    } finally {
      // The request that waits longest takes the place over.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }

  function forget(code: string): void {
    bytes -= kept.get(code)?.bytes ?? 0
    kept.delete(code)
  }

  function keepWithinRoom(): void {
    for (const code of kept.keys()) {
      if (bytes <= KEPT_BYTES_MAX) return
      forget(code)
    }
  }

  return (code) => {
    const known = kept.get(code)
    if (known && known.freshUntil > Date.now()) return known.picture
    forget(code)
    const entry = { picture: lookUp(code), bytes: 0, freshUntil: Number.POSITIVE_INFINITY }
    kept.set(code, entry)
    entry.picture.then(
      (found) => {
        if (kept.get(code) !== entry) return
        // A code that leads nowhere is not kept: there is no end to them.
        if (!found) return forget(code)
        entry.bytes = found.content.length
        entry.freshUntil = Date.now() + FRESH_MS
        bytes += entry.bytes
        keepWithinRoom()
      },
      () => kept.get(code) === entry && forget(code)
    )
    return entry.picture
  }
}

function busy(): Refusal {
  return new Refusal(503, 'unavailable', 'Too many pictures are asked for at once; ask again.', {
    retryAfterSeconds: 1
  })
}
