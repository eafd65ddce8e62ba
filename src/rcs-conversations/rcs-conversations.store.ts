import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { numberArray } from '../database/number-array.ts'
import { hasNotFallenBack } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

const CONVERSATION_HOURS = 24
/** An RCS that was accepted while it was open may leave later, and be delivered days after that. */
const LATE_DAYS = 10
/** More RCS to one person are settled in the next turn, at once. */
export const COVERED_MAX = 500
/** The database and the platform tell times of their own. */
const CLOCKS_DIFFER = '1 minute'
/** What stops a settlement is a lock of others, or a bug, which is logged each time. */
const PUT_OFF_MINUTES = 10

interface PersonKey {
  accountId: number
  phone: string
}

/** Replies of one person to one account take turns, until the transaction ends. */
export async function lockPerson(sql: Sql, { accountId, phone }: PersonKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`conversation ${accountId} ${phone}`}, 0))`
}

export async function isAnyOpen(sql: Sql, { accountId, phone }: PersonKey): Promise<boolean> {
  const rows = await sql`
    select
    from rcs_conversations
    where account_id = ${accountId}
      and phone = ${phone}
      and ends_at > clock_timestamp()
  `
  return rows.length > 0
}

export async function insertConversation(
  sql: Sql,
  { accountId, phone, price }: PersonKey & { price: number }
): Promise<void> {
  await sql`
    insert into rcs_conversations (account_id, id, phone, opened_at, ends_at, price, settle_at)
    select ${accountId}, nextval('rcs_conversation_ids'), ${phone}, opened_at,
      opened_at + make_interval(hours => ${CONVERSATION_HOURS}), ${price}, opened_at
    from (select clock_timestamp() as opened_at) as times
  `
}

export interface Conversation extends PersonKey {
  id: number
  openedAt: Date
  endsAt: Date
  price: number
  charged: number
}

/** Locks a conversation whose messages are to be looked for, until the transaction ends. Of any account: for workers. */
export async function claimDueConversation(sql: Sql): Promise<Conversation | undefined> {
  const [row] = await sql<Conversation[]>`
    select account_id, id, phone, opened_at, ends_at, price, charged
    from rcs_conversations
    where settle_at <= now()
    order by settle_at
    limit 1
    for update skip locked
  `
  return row
}

/** Locks the conversations with a person whose messages are still looked for, until the transaction ends. */
export async function lockConversationsOf(sql: Sql, { accountId, phone }: PersonKey): Promise<Conversation[]> {
  return sql<Conversation[]>`
    select account_id, id, phone, opened_at, ends_at, price, charged
    from rcs_conversations
    where account_id = ${accountId}
      and phone = ${phone}
      and settle_at is not null
    order by id
    for update
  `
}

/** An RCS that a conversation covers, and what it took. */
export interface Covered extends RecipientKey {
  credits: number
  country: string
}

/**
 * The delivered RCS to the person that were accepted while the conversation was open, and that no conversation has yet: the
 * oldest of them, `COVERED_MAX` at most. Reads on until it has so many, so that those of earlier turns hide none.
 */
export async function listCovered(sql: Sql, conversation: Conversation): Promise<Covered[]> {
  const covered: Covered[] = []
  let after: Pick<Covered, 'messageId' | 'position'> = { messageId: 0, position: 0 }
  while (covered.length < COVERED_MAX) {
    const page = await listDelivered(sql, conversation, after)
    covered.push(...(await listUncharged(sql, conversation, page)))
    const last = page.at(-1)
    if (!last || page.length < COVERED_MAX) break
    after = last
  }
  return covered.slice(0, COVERED_MAX)
}

/** A page of the RCS to the person that were delivered since the conversation was opened, in the order of their ids. */
async function listDelivered(
  sql: Sql,
  { accountId, phone, openedAt }: Conversation,
  after: Pick<Covered, 'messageId' | 'position'>
): Promise<Covered[]> {
  return sql<Covered[]>`
    select account_id, message_id, position, credits, country
    from recipients
    where account_id = ${accountId}
      and phone = ${phone}
      and (message_id, position) > (${after.messageId}::bigint, ${after.position}::integer)
      and state in (${RECIPIENT_STATES.delivered}, ${RECIPIENT_STATES.read})
      and segments = 0
      and delivered_at >= ${openedAt}::timestamptz - ${CLOCKS_DIFFER}::interval
      and ${hasNotFallenBack(sql)}
    order by message_id, position
    limit ${COVERED_MAX}
  `
}

/** Statements of their own: recipients may be on another node than messages and charges. */
async function listUncharged(
  sql: Sql,
  { accountId, openedAt, endsAt }: Conversation,
  delivered: readonly Covered[]
): Promise<Covered[]> {
  if (delivered.length === 0) return []
  const ids = [...new Set(delivered.map(({ messageId }) => messageId))]
  const inTime = await sql<{ id: number }[]>`
    select id
    from messages
    where account_id = ${accountId}
      and id = any(${numberArray(ids)}::bigint[])
      and channel = 'rcs'
      and created_at >= ${openedAt}
      and created_at < ${endsAt}
      and scheduled_at < ${endsAt}
  `
  const charged = await sql<{ messageId: number; position: number }[]>`
    select message_id, position
    from conversation_charges
    where account_id = ${accountId}
      and message_id = any(${numberArray(ids)}::bigint[])
  `
  const isInTime = new Set(inTime.map(({ id }) => id))
  const isCharged = new Set(charged.map(nameOf))
  return delivered.filter((one) => isInTime.has(one.messageId) && !isCharged.has(nameOf(one)))
}

function nameOf({ messageId, position }: { messageId: number; position: number }): string {
  return `${messageId} ${position}`
}

export async function insertCharges(
  sql: Sql,
  { accountId, id }: Conversation,
  charges: readonly (Covered & { charged: number; refunded: number })[]
): Promise<void> {
  await sql`
    insert into conversation_charges (account_id, message_id, position, conversation_id, charged, refunded)
    select ${accountId}, message_id, position, ${id}, charged, refunded
    from unnest(
      ${numberArray(charges.map(({ messageId }) => messageId))}::bigint[],
      ${numberArray(charges.map(({ position }) => position))}::integer[],
      ${numberArray(charges.map(({ charged }) => charged))}::smallint[],
      ${numberArray(charges.map(({ refunded }) => refunded))}::smallint[]
    ) as given (message_id, position, charged, refunded)
  `
}

/**
 * Looked at again after an eighth of its age, within 15 s to an hour; at once if there may be more; and no more when nothing can
 * come.
 */
export async function updateSettled(
  sql: Sql,
  { accountId, id }: Conversation,
  { charged, isMoreDue }: { charged: number; isMoreDue: boolean }
): Promise<void> {
  await sql`
    update rcs_conversations
    set charged = ${charged},
        settle_at = case
          when ${isMoreDue} then now()
          when ends_at + make_interval(days => ${LATE_DAYS}) > now()
            then now() + greatest(interval '15 s', least(interval '1 hour', (now() - opened_at) / 8))
        end
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** A conversation that could not be settled lets the others go first. */
export async function putOffSettling(sql: Sql, { accountId, id }: Conversation): Promise<void> {
  await sql`
    update rcs_conversations
    set settle_at = now() + make_interval(mins => ${PUT_OFF_MINUTES})
    where account_id = ${accountId}
      and id = ${id}
      and settle_at <= now()
  `
}

/** For a number that is erased: those that were opened up to a moment. */
export async function deleteConversationsOf(
  sql: Sql,
  { accountId, phone, before }: PersonKey & { before: Date }
): Promise<void> {
  await sql`
    delete from rcs_conversations
    where account_id = ${accountId}
      and phone = ${phone}
      and opened_at <= ${before}::timestamptz + interval '1 millisecond'
  `
}

/** Some at a time; returns how many. */
export async function deleteOldRcsConversations(sql: Sql, retention: Retention): Promise<number> {
  const isOver = sql`settle_at is null`
  return deleteOld(sql, { table: 'rcs_conversations', column: 'ends_at', isOver }, retention)
}

/** A message may be charged for as long as its conversation is looked at. */
export async function deleteOldCharges(sql: Sql, { days, limit }: Retention): Promise<number> {
  return deleteOld(sql, { table: 'conversation_charges', column: 'created_at' }, { days: days + LATE_DAYS, limit })
}
