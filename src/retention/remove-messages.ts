import { lookUpOnly, type Pool } from '../database/database.ts'
import { readRanges } from '../database/id-ranges.store.ts'
import { isDroppedWhole } from '../database/id-ranges.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { deleteMessages } from '../messages/removal.store.ts'
import type { PositionRange } from '../recipients/positions.store.ts'
import { deletePositions, deleteSteps } from '../recipients/removal.store.ts'
import { deleteMessageFigures } from '../stats/figures.store.ts'
import { deleteMessageGroups } from '../stats/groups.store.ts'
import {
  claimRemovals,
  deleteRemovals,
  insertRemovals,
  listOldMessages,
  lockOver,
  type Removal,
  updateRemovals,
  WALK_BEGIN
} from './retention.store.ts'

/*
 * Messages are removed a number of days after they were due, a slice at a time. The message row goes first, so that no reader
 * ever sees half a message. Its recipients follow when the whole range of its id is dropped (drop-ranges.ts). If that takes too
 * long, they follow a while later, from the first position to the last. Each slice stores its progress, so that a crash costs
 * nothing. A message that is not over stays, however old it is. Customers' own ids, credits
 * and opt-outs stay for good.
 */

/** Messages per look at old messages, and per transaction that hides them. */
const MESSAGES_MAX = 500
/** Recipients per transaction. */
const RECIPIENTS_MAX = 2_000
/** Longer than a request may read the recipients of a message it has found, and longer than any transaction on them. */
const GRACE_SECONDS = 600

export interface RemoveMessages {
  /** Hides some messages that are past their retention. */
  hideOld(): Promise<{ isMoreDue: boolean }>
  /** Removes some recipients of hidden messages. */
  removeSlice(): Promise<{ isMoreDue: boolean }>
}

export function createRemoveMessages(
  pool: Pool,
  { days, graceSeconds = GRACE_SECONDS }: { days: number; graceSeconds?: number }
): RemoveMessages {
  // Kept between looks, so that messages that never end do not block the messages behind them.
  let after = WALK_BEGIN
  return {
    async hideOld() {
      const old = await listOldMessages(pool, { days, after, limit: MESSAGES_MAX })
      const over = old.filter(({ isOver }) => isOver)
      if (over.length > 0) {
        const { ranges } = await readRanges(pool, 'messages')
        const wholes = ranges.filter((range) => isDroppedWhole(range, days))
        const isAlone = ({ id }: MessageKey) => !wholes.some(({ firstId, endId }) => id >= firstId && id < endId)
        await pool.begin(async (database) => {
          await lookUpOnly(database)
          const messages = await lockOver(database, over)
          if (messages.length === 0) return
          await insertRemovals(database, messages.filter(isAlone), { graceSeconds })
          await deleteMessageFigures(database, messages)
          await deleteMessageGroups(database, messages)
          await deleteMessages(database, messages)
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
            // All recipients are removed. One last look later finds steps that were written at this moment.
            delaySeconds: to === recipientsCount ? graceSeconds : 0
          }))
        )
        // Timeline steps that were written while the recipients were being removed.
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

/** The next positions of each message, up to RECIPIENTS_MAX in all. */
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
