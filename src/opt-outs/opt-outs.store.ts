import type { Sql } from '../database/database.ts'
import type { StopWay } from '../stops/stop.ts'

/** How many people a group of messages reached, and how many opted out of it, by way. */
export interface OptOutCount {
  sender: string
  messages: number
  sent: number
  ways: Partial<Record<StopWay, number>>
}

export interface MessageOptOuts extends OptOutCount {
  messageId: number
}

/** By sender, for messages that were due within a time: those with the most opt-outs first. */
export async function listOptOutsBySender(
  sql: Sql,
  { accountId, from, before, limit }: { accountId: number; from: Date; before: Date; limit: number }
): Promise<OptOutCount[]> {
  return sql<OptOutCount[]>`
    with due as (${dueMessages(sql, { accountId, from, before })}),
    found as (
      select sender, way, count(*) as count
      from due
      join opt_outs on opt_outs.account_id = ${accountId} and opt_outs.message_id = due.id
      group by sender, way
    )
    select sender, count(*) as messages, sum(taken_count) as sent, coalesce(
      (select jsonb_object_agg(way, count) from found where found.sender = due.sender), '{}'
    ) as ways
    from due
    group by sender
    order by (select coalesce(sum(count), 0) from found where found.sender = due.sender) desc, sent desc, sender
    limit ${limit}
  `
}

/** The same for each message: the newest first. */
export async function listOptOutsByMessage(
  sql: Sql,
  { accountId, from, before, limit }: { accountId: number; from: Date; before: Date; limit: number }
): Promise<MessageOptOuts[]> {
  return sql<MessageOptOuts[]>`
    with due as (
      ${dueMessages(sql, { accountId, from, before })}
        and exists (
          select
          from opt_outs
          where opt_outs.account_id = ${accountId}
            and opt_outs.message_id = messages.id
        )
      order by scheduled_at desc, id desc
      limit ${limit}
    )
    select id as message_id, sender, 1 as messages, taken_count as sent, ${waysOf(sql, accountId)} as ways
    from due
    order by scheduled_at desc, id desc
  `
}

export async function findOptOutsOfMessage(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<MessageOptOuts | undefined> {
  const [row] = await sql<MessageOptOuts[]>`
    select id as message_id, sender, 1 as messages, taken_count as sent, ${waysOf(sql, accountId)} as ways
    from messages as due
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

function dueMessages(sql: Sql, { accountId, from, before }: { accountId: number; from: Date; before: Date }) {
  return sql`
    select id, sender, taken_count, scheduled_at
    from messages
    where account_id = ${accountId}
      and scheduled_at >= ${from}::timestamptz
      and scheduled_at < ${before}::timestamptz
  `
}

function waysOf(sql: Sql, accountId: number) {
  return sql`coalesce(
    (
      select jsonb_object_agg(way, count)
      from (
        select way, count(*) as count
        from opt_outs
        where account_id = ${accountId}
          and message_id = due.id
        group by way
      ) as found
    ),
    '{}'
  )`
}

/**
 * When the recipients of a message were found: when it was accepted or, of a scheduled message to segments, when it departed.
 * Rounded up to the milliseconds of a date, so that a consent of the same millisecond counts.
 */
export async function findPeopleTime(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<Date | undefined> {
  const [row] = await sql<{ at: Date }[]>`
    select date_trunc('milliseconds', coalesce(departed_at, created_at)) + interval '1 millisecond' as at
    from messages
    where account_id = ${accountId}
      and id = ${id}
  `
  return row?.at
}

/** The consent that each of these phones had at a time, for marketing by a channel. */
export async function listConsentsAt(
  sql: Sql,
  {
    accountId,
    phones,
    at,
    channel,
    purpose
  }: { accountId: number; phones: readonly string[]; at: Date; channel: string; purpose: string }
): Promise<ConsentAt[]> {
  return sql<ConsentAt[]>`
    select distinct on (phone) phone, id, source, given_at, wording, proof, withdrawn_at
    from consents
    where account_id = ${accountId}
      and phone = any(${phones as string[]}::text[])
      and purpose = ${purpose}
      and channel in ('all', ${channel})
      and created_at <= ${at}::timestamptz
      and (withdrawn_at is null or withdrawn_at > ${at}::timestamptz)
    order by phone, id desc
  `
}

export interface ConsentAt {
  phone: string
  id: number
  source: string
  givenAt: Date
  wording: string
  proof: string
  withdrawnAt: Date | null
}
