import { lookUpOnly, type Pool } from '../database/database.ts'
import {
  changeRanges,
  dropRange,
  partitionOf,
  readRanges,
  updateLeft,
  updateReleased
} from '../database/id-ranges.store.ts'
import { type IdRange, isDroppedWhole } from '../database/id-ranges.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import {
  deleteRemovalsOfRange,
  insertRemovals,
  isOfMessages,
  listLeftMessages,
  listStoredMessages
} from './retention.store.ts'

/*
 * Drops ranges of message ids whose messages are past their retention, with all their recipients and timelines. Messages that are not
 * over, or that were scheduled for later, are carried over to the default partition. If too many are left, the range stays, and rows
 * of removed messages leave it one by one until few enough are left.
 */

/** What can be carried over in the moment in which nobody else uses the tables. */
const CARRIED_MAX = { messages: 1_000, recipients: 20_000 }
/** Messages per look at a range that stays. */
const STORED_MAX = 500
const DAY_MS = 86_400_000
/** Longer than a request may read the recipients of a message it has found. */
const GRACE_SECONDS = 600

const WALK_BEGIN: MessageKey = { accountId: 0, id: 0 }

export interface DropRanges {
  /** Drops the oldest range that may go, or prepares that. */
  dropOldest(): Promise<{ isMoreDue: boolean }>
}

export function createDropRanges(
  pool: Pool,
  { days, graceSeconds = GRACE_SECONDS }: { days: number; graceSeconds?: number }
): DropRanges {
  // Lost with the process: to begin again costs time, nothing else.
  const walks = new Map<number, MessageKey>()

  /** Of removed messages, queues the recipients that waited for the drop. */
  async function release(range: IdRange): Promise<{ isMoreDue: boolean }> {
    if (!range.isReleased) await updateReleased(pool, range, { isQueued: false })
    const stored = await listStoredMessages(pool, {
      partition: partitionOf('recipients', range),
      after: walks.get(range.firstId) ?? WALK_BEGIN,
      limit: STORED_MAX
    })
    await insertRemovals(
      pool,
      stored.filter(({ isHidden }) => isHidden),
      { graceSeconds }
    )
    const isMoreDue = stored.length === STORED_MAX
    const last = stored.at(-1)
    if (isMoreDue && last) walks.set(range.firstId, last)
    else await updateReleased(pool, range, { isQueued: true })
    return { isMoreDue }
  }

  async function listLeft(range: IdRange) {
    return pool.begin(async (sql) => {
      await lookUpOnly(sql)
      return listLeftMessages(sql, range, CARRIED_MAX.messages + 1)
    })
  }

  /** Returns whether it is gone. */
  async function drop(range: IdRange): Promise<boolean> {
    let isGone = false
    await changeRanges(pool, async (sql) => {
      const { ranges } = await readRanges(sql, 'messages')
      if (!ranges.some(({ firstId }) => firstId === range.firstId)) return
      const left = await listLeftMessages(sql, range, CARRIED_MAX.messages + 1)
      // A message that was hidden just now may have readers.
      if (left.length !== range.leftCount) return
      await deleteRemovalsOfRange(sql, range)
      await dropRange(sql, range, left.length > 0 ? isOfMessages(sql, left) : undefined)
      isGone = true
    })
    return isGone
  }

  return {
    async dropOldest() {
      const { now, ranges } = await readRanges(pool, 'messages')
      const age = ({ closedAt }: IdRange) => (closedAt ? (now.getTime() - closedAt.getTime()) / DAY_MS : 0)
      for (const range of ranges.filter((range) => range.isMade && age(range) > days)) {
        const left = await listLeft(range)
        const recipients = left.reduce((sum, { recipientsCount }) => sum + recipientsCount, 0)
        if (left.length > CARRIED_MAX.messages || recipients > CARRIED_MAX.recipients) {
          const isWaitedFor = isDroppedWhole(range, days) || (range.isReleased && !range.isQueued)
          if (isWaitedFor && (await release(range)).isMoreDue) return { isMoreDue: true }
        } else if (left.length !== range.leftCount || !range.settledAt) {
          await updateLeft(pool, range, left.length)
        } else if (now.getTime() - range.settledAt.getTime() >= graceSeconds * 1_000 && (await drop(range))) {
          return { isMoreDue: true }
        }
      }
      return { isMoreDue: false }
    }
  }
}
