import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import { hasFallenBack, hasNotFallenBack } from '../recipients/conditions.store.ts'
import { listAccountsOfPhone } from '../recipients/phone-accounts.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

export interface Conversation {
  accountId: number
  /** Null when the account never wrote to that phone. */
  messageId: number | null
}

/** The carriers that write under a name, by the carriers file. */
export interface Writing {
  /** The carriers that write as the agent of this id. */
  byAgent: readonly string[]
  /** The carriers that write under this sender where a message names none. */
  bySender: readonly string[]
}

interface Written extends Writing {
  phone: string
  /** A number, a name or an agent, without `+`. */
  to: string
  carrier: string
}

/**
 * The accounts that a reply may belong to, the likeliest first. Accounts that wrote to that phone from the number written to
 * come first, the last writer before the others. Without any, it is the account that last wrote to that phone through that
 * carrier. The settings of an account never decide: any account can set any sender.
 *
 * `isStop` asks for all accounts that a STOP is meant for. Messages from other senders invite to answer to that number too, by
 * the opt-out mention. So the account whose text last named the number is always among them, even if other accounts wrote
 * to that phone since. Otherwise an account that writes later, or from the number of the mention, would take the STOPs of the
 * other accounts.
 */
export async function listConversations(
  sql: Sql,
  written: Written,
  { isStop }: { isStop: boolean }
): Promise<Conversation[]> {
  const writers = await listWriters(sql, written, isFrom(sql, written))
  const owners = writers.length > 0 ? writers : (await listWriters(sql, written, isThrough(sql, written))).slice(0, 1)
  if (!isStop) return owners
  const [inviter] = await listWriters(sql, written, isInvitation(sql, written))
  const isAmongThem = !inviter || owners.some(({ accountId }) => accountId === inviter.accountId)
  return isAmongThem ? owners : [...owners, inviter]
}

/**
 * An RCS that fell back was written by its agent, and by the sender of its SMS. The record of an RCS message names one agent
 * and may name no sender of the SMS: then the carrier that took a recipient tells who wrote. So it does for an SMS whose
 * recipients were each written to under the sender of their carrier.
 */
function isFrom(sql: Sql, { to, byAgent, bySender }: Written): ReturnType<Sql> {
  const isOfCarriers = bySender.length > 0 ? sql`(${isBy(sql, bySender)} or recipients.carrier is null)` : sql`false`
  return sql`
    (
      case
        when messages.options ->> 'hasCarrierSenders' is null then lower(ltrim(sender, '+')) = lower(${to})
        else ${isOfCarriers}
      end
      or (${hasNotFallenBack(sql)} and messages.channel = 'rcs' and ${isBy(sql, byAgent)})
      or was_written_as_rcs
      or (
        ${hasFallenBack(sql)}
        and ${hasFallback(sql, sql`(lower(ltrim(fallback_sender, '+')) = lower(${to}) or (fallback_sender is null and ${isOfCarriers}))`)}
      )
    )
  `
}

function isBy(sql: Sql, carriers: readonly string[]): ReturnType<Sql> {
  return sql`recipients.carrier = any(${carriers as string[]}::text[])`
}

/** Whether the message has a fallback of this kind. */
function hasFallback(sql: Sql, condition: ReturnType<Sql>): ReturnType<Sql> {
  return sql`
    exists (
      select
      from rcs_messages
      where rcs_messages.account_id = recipients.account_id
        and rcs_messages.message_id = recipients.message_id
        and ${condition}
    )
  `
}

function isThrough(sql: Sql, { carrier }: Written): ReturnType<Sql> {
  return sql`(carrier = ${carrier} or carrier is null)`
}

/** A text that the phone got names the number, as STOP36111 does; digits within a longer number do not. */
function isInvitation(sql: Sql, written: Written): ReturnType<Sql> {
  const { to } = written
  if (!/^\d{3,}$/.test(to)) return sql`false`
  const number = `(^|[^0-9])${to}([^0-9]|$)`
  return sql`
    ${isThrough(sql, written)}
    and (
      coalesce(recipients.content, messages.content) ~ ${number}
      or (${hasFallenBack(sql)} and ${hasFallback(sql, sql`fallback_content ~ ${number}`)})
    )
  `
}

/**
 * The accounts that wrote to that phone this way, each with its last message; the last writer first. A message on its way
 * counts: an answer may arrive before we store that it left. A message that fell back counts: the phone may have got its RCS
 * after all. A message that was in doubt counts, whatever was decided: it may have arrived.
 */
async function listWriters(sql: Sql, { phone, byAgent }: Written, isWay: ReturnType<Sql>): Promise<Conversation[]> {
  const accounts = await listAccountsOfPhone(sql, phone)
  const last = await byShard(
    sql,
    accounts,
    (accounts, ofAccounts) => sql<{ accountId: number; messageId: number; writtenAt: Date }[]>`
      -- A part of its own: on a cluster, the node of the account answers it.
      with recipients as materialized (
        select recipients.account_id, message_id, position, sent_at, channel, carrier, content,
          sent_at is not null
            or ${hasFallenBack(sql)}
            or recipients.state = ${RECIPIENT_STATES.submitting}
            or exists (
              select 1
              from timeline_steps
              where timeline_steps.account_id = recipients.account_id
                and timeline_steps.message_id = recipients.message_id
                and timeline_steps.position = recipients.position
                and step = 'in_doubt'
            ) as may_have_left,
          ${hasFallenBack(sql)}
            and exists (
              select 1
              from timeline_steps
              where timeline_steps.account_id = recipients.account_id
                and timeline_steps.message_id = recipients.message_id
                and timeline_steps.position = recipients.position
                and step = 'fallback'
                and timeline_steps.carrier = any(${byAgent as string[]}::text[])
            ) as was_written_as_rcs
        from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[]) as given (account_id)
        join recipients on ${ofAccounts(sql`recipients.account_id`)} and phone = ${phone}
      )
      select distinct on (recipients.account_id)
        recipients.account_id, message_id, coalesce(sent_at, scheduled_at) as written_at
      from recipients
      join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
      where ${isWay}
        and (
          may_have_left
          or exists (
            select
            from batches
            where batches.account_id = recipients.account_id
              and batches.message_id = recipients.message_id
              and recipients.position = any(submitting)
          )
        )
      order by recipients.account_id, written_at desc, message_id desc
    `
  )
  return last
    .toSorted((a, b) => b.writtenAt.getTime() - a.writtenAt.getTime() || b.messageId - a.messageId)
    .map(({ accountId, messageId }) => ({ accountId, messageId }))
}

/** The operator's account, which gets replies that belong to no account. */
export async function findOperatorId(sql: Sql): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    select id
    from accounts
    where is_operator
  `
  return row.id
}
