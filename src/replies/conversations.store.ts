import type { Sql } from '../database/database.ts'
import { RECIPIENT_STATES } from '../messages/recipient.ts'

export interface Conversation {
  accountId: number
  /** Null when the account never wrote to that phone. */
  messageId: number | null
}

interface Written {
  phone: string
  /** A number, a name or an agent, without `+`. */
  to: string
  carrier: string
}

/**
 * Who a reply is for: whoever last wrote to that phone through that sender; else whoever has it as their sender; else
 * whoever last wrote to that phone through that carrier. Undefined when it is nobody's. Of any account.
 */
export async function findConversation(sql: Sql, written: Written): Promise<Conversation | undefined> {
  return (
    (await findLastMessage(sql, written, isFrom(sql, written))) ??
    (await findBySender(sql, written)) ??
    (await findLastMessage(sql, written, sql`(carrier = ${written.carrier} or carrier is null)`))
  )
}

/** An RCS that fell back was written by its agent, and by the sender of its SMS. */
function isFrom(sql: Sql, { to }: Written): ReturnType<Sql> {
  return sql`
    (
      lower(ltrim(sender, '+')) = lower(${to})
      or (
        recipients.channel is not null
        and exists (
          select
          from rcs_messages
          where rcs_messages.account_id = recipients.account_id
            and rcs_messages.message_id = recipients.message_id
            and lower(ltrim(fallback_sender, '+')) = lower(${to})
        )
      )
    )
  `
}

/**
 * One that is on its way counts too: an answer may be quicker than our writing down that it left. So does one that fell back:
 * the phone may have got its RCS after all. And one that was in doubt, whatever was decided then: it may have arrived.
 */
async function findLastMessage(
  sql: Sql,
  { phone }: Written,
  isWay: ReturnType<Sql>
): Promise<Conversation | undefined> {
  const [row] = await sql<{ accountId: number; messageId: number }[]>`
    select recipients.account_id, message_id
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where phone = ${phone}
      and ${isWay}
      and (
        sent_at is not null
        or recipients.channel is not null
        or recipients.state = ${RECIPIENT_STATES.submitting}
        or exists (
          select
          from batches
          where batches.account_id = recipients.account_id
            and batches.message_id = recipients.message_id
            and recipients.position = any(submitting)
        )
        or exists (
          select
          from timeline_steps
          where timeline_steps.account_id = recipients.account_id
            and timeline_steps.message_id = recipients.message_id
            and timeline_steps.position = recipients.position
            and step = 'in_doubt'
        )
      )
    order by coalesce(sent_at, scheduled_at) desc, message_id desc
    limit 1
  `
  return row
}

async function findBySender(sql: Sql, { to }: Written): Promise<Conversation | undefined> {
  const [row] = await sql<{ accountId: number }[]>`
    select id as account_id
    from accounts
    where lower(ltrim(default_sender, '+')) = lower(${to})
    order by id
    limit 1
  `
  return row && { ...row, messageId: null }
}

/** Counts a person who answers a message for the first time. */
export async function updateReplied(
  sql: Sql,
  { accountId, messageId, phone }: { accountId: number; messageId: number; phone: string }
): Promise<void> {
  await sql`
    select
    from messages
    where account_id = ${accountId}
      and id = ${messageId}
    for no key update
  `
  await sql`
    update messages
    set replied_count = replied_count + 1
    where account_id = ${accountId}
      and id = ${messageId}
      and not exists (
        select
        from replies
        where account_id = ${accountId}
          and message_id = ${messageId}
          and phone = ${phone}
      )
  `
}

/** The first account: what is nobody's is theirs to see. */
export async function findOperatorId(sql: Sql): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    select id
    from accounts
    where is_operator
  `
  return row.id
}
