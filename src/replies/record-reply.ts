import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database, Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { addToReplied, lockRepliedCount } from '../messages/totals.store.ts'
import { isStopWord } from '../stops/stop-word.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { readInbound } from './conversations.ts'
import { optOut } from './opt-out.ts'
import { hasReplied, insertReply } from './replies.store.ts'
import { toReplyView } from './reply.ts'
import {
  deleteJoined,
  findOverdue,
  insertSegment,
  joinSegments,
  type ReplyKey,
  toSegment
} from './reply-segments.store.ts'

/*
 * A message that comes in: joined from its segments, given to the account that it answers, and, when it says STOP, an
 * opt-out with all that follows, by one transaction. The carrier gets its answer after that.
 */

/** Segments of one reply come within seconds; after this, what is there is delivered as it is. */
const SEGMENTS_WAIT_SECONDS = 300
const MISSING = '[…]'

type WholeReply = Omit<InboundMessage, 'segment'>

/** Not more at once than leaves connections for sending. */
const AT_ONCE = { sizeMax: 1, runningMax: 3, spacingMs: 0 }
const TRIES_MAX = 4

export function createRecordReply(pool: Pool): (inbound: InboundMessage) => Promise<void> {
  return groupCalls(async (replies: InboundMessage[]) => {
    for (const reply of replies) await recordReply(pool, reply)
    return []
  }, AT_ONCE)
}

export async function recordReply(pool: Pool, inbound: InboundMessage): Promise<void> {
  await retryBusy(TRIES_MAX, () => tryToRecord(pool, inbound))
}

async function tryToRecord(pool: Pool, inbound: InboundMessage): Promise<void> {
  await pool.begin(async (database) => {
    const segment = toSegment(inbound)
    if (!segment) return storeReply(database, inbound)
    const count = await insertSegment(database, segment)
    if (count === undefined || count < segment.total) return
    await storeReply(database, await joinReply(database, segment))
  })
}

/** Delivers replies of which a segment never came, with its place marked. */
export async function finishReplies(pool: Pool): Promise<{ isMoreDue: boolean }> {
  return pool.begin(async (database) => {
    const overdue = await findOverdue(database, { seconds: SEGMENTS_WAIT_SECONDS })
    if (!overdue) {
      await deleteJoined(database, { seconds: SEGMENTS_WAIT_SECONDS })
      return { isMoreDue: false }
    }
    await storeReply(database, await joinReply(database, overdue))
    return { isMoreDue: true }
  })
}

async function joinReply(database: Database, key: ReplyKey): Promise<WholeReply> {
  const segments = await joinSegments(database, key)
  const texts = Array.from({ length: key.total }, (_, index) => segments.get(index + 1) ?? MISSING)
  return { carrier: key.carrier, from: key.source, to: key.destination, text: texts.join('') }
}

/** In a transaction of the caller's, who may have something of their own to write down with it. */
export async function storeReply(database: Database, { carrier, from, to, text, channel }: WholeReply): Promise<void> {
  const content = storable(text)
  const isStop = isStopWord(content)
  const inbound = await readInbound(database, { carrier, from, to }, { isStop })
  const { phone, owner } = inbound
  const { accountId, messageId } = owner
  if (isStop) await optOut(database, inbound)
  if (messageId !== null) await countReplied(database, { accountId, messageId, phone })
  const reply = await insertReply(database, {
    accountId,
    messageId,
    phone,
    writtenTo: to,
    channel: channel ?? 'sms',
    content,
    isStop
  })
  await recordEvents(database, [{ accountId, type: 'replies', record: toReplyView(reply) }])
}

/** Counts each person once: the message is locked, so that two replies at once do not both come first. */
async function countReplied(
  database: Database,
  { phone, ...message }: { accountId: number; messageId: number; phone: string }
): Promise<void> {
  await lockRepliedCount(database, message)
  if (!(await hasReplied(database, { ...message, phone }))) await addToReplied(database, message)
}

/** PostgreSQL has no NUL in a text, and no half of a character. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
