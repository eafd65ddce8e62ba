import { lookUpOnly, type Pool } from '../database/database.ts'
import type { PositionRange } from '../recipients/recipients.store.ts'
import { deletePositions, deleteSteps } from '../recipients/removal.store.ts'
import {
  claimRemovals,
  deleteRemovals,
  hideMessages,
  listOldMessages,
  lockOver,
  type Removal,
  updateRemovals,
  WALK_BEGIN
} from './retention.store.ts'

/*
 * Messages are kept for so many days after they were due, and then removed, a slice at a time. First the message itself, with
 * which it is gone for everybody: half of one is never seen. A while later its recipients, from the first to the last; how
 * far that has come is written down with each slice, so that a crash costs nothing. What is not over stays, however old it is.
 * Ids of the customers' own, credits and opt-outs stay for good.
 */

/** How many messages are looked at, and hidden, at a time. */
const MESSAGES_MAX = 500
/** How many recipients are removed at a time. */
const RECIPIENTS_MAX = 2_000
/** Longer than a request that has found the message may take to read its recipients, or a transaction to note something. */
const GRACE_SECONDS = 600

export interface RemoveMessages {
  /** Hides some messages that have had their time. */
  hideOld(): Promise<{ isMoreDue: boolean }>
  /** Removes some recipients of messages that are hidden. */
  removeSlice(): Promise<{ isMoreDue: boolean }>
}

export function createRemoveMessages(
  pool: Pool,
  { days, graceSeconds = GRACE_SECONDS }: { days: number; graceSeconds?: number }
): RemoveMessages {
  // Kept from one look to the next, so that some that never end don't keep it from those behind them.
  let after = WALK_BEGIN
  return {
    async hideOld() {
      const old = await listOldMessages(pool, { days, after, limit: MESSAGES_MAX })
      const over = old.filter(({ isOver }) => isOver)
      if (over.length > 0) {
        await pool.begin(async (database) => {
          await lookUpOnly(database)
          const messages = await lockOver(database, over)
          if (messages.length > 0) await hideMessages(database, messages, { graceSeconds })
        })
      }
      const isMoreDue = old.length === MESSAGES_MAX
      after = isMoreDue ? (old.at(-1) ?? WALK_BEGIN) : WALK_BEGIN
      return { isMoreDue }
    },
    async removeSlice() {
      return pool.begin(async (database) => {
        await lookUpOnly(database)
        const removals = await claimRemovals(database, MESSAGES_MAX)
        const emptied = removals.filter(({ removedTo, recipientsCount }) => removedTo >= recipientsCount)
        const slices = toSlices(removals.filter((removal) => !emptied.includes(removal)))
        await deletePositions(database, slices)
        await updateRemovals(
          database,
          slices.map(({ to, recipientsCount, ...key }) => ({
            ...key,
            removedTo: to,
            // All are gone: one last look, at what somebody may have noted about them at this moment.
            delaySeconds: to === recipientsCount ? graceSeconds : 0
          }))
        )
        // Steps that were noted while the recipients were being removed.
        await deleteSteps(database, emptied)
        await deleteRemovals(database, emptied)
        return { isMoreDue: slices.length > 0 || removals.length === MESSAGES_MAX }
      })
    }
  }
}

interface Slice extends PositionRange {
  recipientsCount: number
}

/** The next positions of each, as many as there is room for. */
function toSlices(removals: readonly Removal[]): Slice[] {
  const slices: Slice[] = []
  let room = RECIPIENTS_MAX
  for (const { removedTo: after, ...removal } of removals) {
    if (room === 0) break
    const to = Math.min(removal.recipientsCount, after + room)
    slices.push({ ...removal, after, to })
    room -= to - after
  }
  return slices
}
