import { queueAnswer } from '../auto-replies/queue-answer.ts'
import type { InboundMessage } from '../carriers/carrier.ts'
import type { Database, Pool } from '../database/database.ts'
import { groupCalls } from '../database/group-calls.ts'
import { retryBusy } from '../database/retry-busy.ts'
import { addToReplied, lockRepliedCount } from '../messages/totals.store.ts'
import { withoutPrefix } from '../phone-numbers/without-prefix.ts'
import { insertReplyDelivery } from '../smpp-outbox/outbox.store.ts'
import { isStartWord, isStopWord } from '../stops/stop-word.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { type CarriersWritingAs, NO_CARRIERS, readInbound } from './conversations.ts'
import { deleteOldInboundIds, insertInboundId } from './inbound-ids.store.ts'
import { optIn, optOut } from './opt-out.ts'
import { readConsent } from './read-consent.ts'
import { hasReplied, insertReply } from './replies.store.ts'
import { toReplyView } from './reply.ts'
import {
  deleteJoined,
  findOverdue,
  insertSegment,
  joinSegments,
  lockReply,
  putOffReply,
  type ReplyKey,
  toSegment
} from './reply-segments.store.ts'

/*
 * Records an inbound message. It joins the segments and finds the account that the reply answers. A STOP becomes an opt-out.
 * One transaction does all of this, and the carrier gets its answer after the commit.
 */

/** Segments of one reply come within seconds. After this time, the reply is delivered without the missing segments. */
const SEGMENTS_WAIT_SECONDS = 300
const MISSING = '[…]'
/** Providers post a reply again for a day or two at most. */
const INBOUND_ID_DAYS = 7

type WholeReply = Omit<InboundMessage, 'segment'> & {
  /** Whether the person tapped a choice that carries the text. */
  isTap?: boolean | undefined
}

/** Few at once, so that delivery keeps connections. */
const AT_ONCE = { sizeMax: 1, runningMax: 3, spacingMs: 0 }
const TRIES_MAX = 4

/**
 * Replies that arrive together are recorded beside each other, but those of one person in their order: of a START and a STOP,
 * the last one counts.
 */
export function createRecordReply(
  pool: Pool,
  writingAs: CarriersWritingAs
): (inbound: InboundMessage) => Promise<void> {
  const record = groupCalls<InboundMessage, undefined>(async (replies) => {
    for (const reply of replies) await recordReply(pool, reply, writingAs)
    return []
  }, AT_ONCE)
  /** By person, the end of the last reply that is being recorded. */
  const lastOf = new Map<string, Promise<unknown>>()
  return (inbound) => {
    const person = withoutPrefix(inbound.from)
    const before = lastOf.get(person)
    const recorded = before ? before.then(() => record(inbound)) : record(inbound)
    // A reply that fails comes again from its carrier; the next ones do not wait for that.
    const ended: Promise<void> = recorded
      .catch(() => undefined)
      .then(() => {
        if (lastOf.get(person) === ended) lastOf.delete(person)
      })
    lastOf.set(person, ended)
    return recorded
  }
}

export async function recordReply(
  pool: Pool,
  inbound: InboundMessage,
  writingAs: CarriersWritingAs = NO_CARRIERS
): Promise<void> {
  await retryBusy(TRIES_MAX, () => tryToRecord(pool, inbound, writingAs))
}

async function tryToRecord(pool: Pool, given: InboundMessage, writingAs: CarriersWritingAs): Promise<void> {
  const inbound = { ...given, from: storable(given.from), to: storable(given.to) }
  await pool.begin(async (database) => {
    const { carrier, id } = inbound
    if (id !== undefined && id !== '' && !(await insertInboundId(database, { carrier, id }))) return
    const segment = toSegment(inbound)
    if (!segment) {
      await storeReply(database, inbound, writingAs)
      return
    }
    const count = await insertSegment(database, segment)
    if (count === undefined || count < segment.total) return
    const reply = await joinReply(database, segment)
    if (reply) await storeReply(database, reply, writingAs)
  })
}

/** Delivers replies with a missing segment, whose place is marked. */
export async function finishReplies(
  pool: Pool,
  writingAs: CarriersWritingAs = NO_CARRIERS
): Promise<{ isMoreDue: boolean }> {
  let overdue: ReplyKey | undefined
  const finishOne = () =>
    pool.begin(async (database) => {
      overdue = await findOverdue(database, { seconds: SEGMENTS_WAIT_SECONDS })
      if (!overdue) {
        await deleteJoined(database, { seconds: SEGMENTS_WAIT_SECONDS })
        await deleteOldInboundIds(database, { days: INBOUND_ID_DAYS })
        return { isMoreDue: false }
      }
      await lockReply(database, overdue)
      const reply = await joinReply(database, overdue)
      // Undefined: another process was faster.
      if (reply) await storeReply(database, reply, writingAs)
      return { isMoreDue: true }
    })
  try {
    return await retryBusy(TRIES_MAX, finishOne)
  } catch (error) {
    // A reply that fails each time must not keep the others from being delivered.
    if (overdue) await putOffReply(pool, overdue)
    throw error
  }
}

async function joinReply(database: Database, key: ReplyKey): Promise<WholeReply | undefined> {
  const segments = await joinSegments(database, key)
  if (segments.size === 0) return undefined
  const texts = Array.from({ length: key.total }, (_, index) => segments.get(index + 1) ?? MISSING)
  return { carrier: key.carrier, from: key.source, to: key.destination, text: texts.join('') }
}

/** Runs in the caller's transaction, which may write more. Returns the account that the reply is for. */
export async function storeReply(
  database: Database,
  { carrier, from, to, text, channel, isTap }: WholeReply,
  writingAs: CarriersWritingAs
): Promise<{ accountId: number; phone: string }> {
  const content = storable(text)
  const isStop = isStopWord(content)
  const isStart = !isStop && isStartWord(content)
  const inbound = await readInbound(database, { carrier, from, to }, { isStop: isStop || isStart, writingAs })
  const { phone, owner } = inbound
  const { accountId, messageId } = owner
  if (isStop) await optOut(database, inbound, isTap ? 'button' : 'reply')
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
  if (isStart) await optIn(database, inbound, `reply ${reply.id}: ${content.slice(0, PROOF_TEXT_MAX)}`)
  if (!isStop && !isStart && !(await readConsent(database, { phone, to, reply }))) {
    await queueAnswer(database, { accountId, phone, to, content, replyId: reply.id })
  }
  await recordEvents(database, [{ accountId, type: 'replies', record: toReplyView(reply) }])
  await insertReplyDelivery(database, { accountId, replyId: reply.id })
  return { accountId, phone }
}

const PROOF_TEXT_MAX = 160

/** Counts each person once. The message is locked, so that two concurrent replies are not both counted. */
async function countReplied(
  database: Database,
  { phone, ...message }: { accountId: number; messageId: number; phone: string }
): Promise<void> {
  await lockRepliedCount(database, message)
  if (!(await hasReplied(database, { ...message, phone }))) await addToReplied(database, message)
}

/** PostgreSQL stores no NUL in a text, and no unpaired surrogate. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
