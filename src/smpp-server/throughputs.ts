/*
 * Submits a second of each credential, over all processes. A process draws a tenth of a second's worth at once from the
 * database, and asks again when that is used up: at most about ten times a second, however many submits come.
 */

/** The submits that may be drawn, and after how long to ask again if there are none. */
export type DrawSubmits = (draw: { id: number; wanted: number }) => Promise<{ drawn: number; waitMs: number }>

const DRAWS_PER_SECOND = 10
/** What was drawn so long ago is not used any more, so that an idle process saves nothing up. */
const FRESH_MS = 1_000
/** Credentials that nobody submitted with for so long are forgotten. */
const IDLE_MS = 10_000

interface Drawn {
  left: number
  drawnAtMs: number
  /** Before this, there is nothing to draw. */
  emptyUntilMs: number
  drawing: Promise<void> | undefined
}

export function createThroughputs(draw: DrawSubmits, nowMs: () => number = () => performance.now()) {
  const byCredential = new Map<number, Drawn>()
  let sweptAtMs = nowMs()

  function find(id: number): Drawn {
    const now = nowMs()
    if (now - sweptAtMs > IDLE_MS) {
      sweptAtMs = now
      for (const [other, { drawnAtMs, drawing }] of byCredential) {
        if (!drawing && now - drawnAtMs > IDLE_MS) byCredential.delete(other)
      }
    }
    const found = byCredential.get(id) ?? { left: 0, drawnAtMs: now, emptyUntilMs: now, drawing: undefined }
    byCredential.set(id, found)
    return found
  }

  async function drawMore(id: number, credential: Drawn, max: number): Promise<void> {
    const { drawn, waitMs } = await draw({ id, wanted: Math.ceil(max / DRAWS_PER_SECOND) })
    const now = nowMs()
    credential.left = drawn
    credential.drawnAtMs = now
    // Not below the pace of draws: otherwise a client that is refused asks the database without end.
    if (drawn === 0) credential.emptyUntilMs = now + Math.max(waitMs, 1_000 / DRAWS_PER_SECOND)
  }

  return {
    /** Whether one more is allowed. */
    async take(id: number, max: number): Promise<boolean> {
      for (;;) {
        const credential = find(id)
        const now = nowMs()
        if (now - credential.drawnAtMs > FRESH_MS) credential.left = 0
        if (credential.left > 0) {
          credential.left--
          return true
        }
        if (now < credential.emptyUntilMs) return false
        credential.drawing ??= drawMore(id, credential, max).finally(() => {
          credential.drawing = undefined
        })
        await credential.drawing
      }
    }
  }
}
