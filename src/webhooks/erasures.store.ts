import type { Sql } from '../database/database.ts'
import type { FeedEvent } from './feed.ts'

/*
 * Events that tell of a number. What webhooks were told is made of them whenever it is shown or posted again, so that what is
 * taken out of them is out of that too.
 */

interface PhoneKey {
  accountId: number
  phone: string
}

/** Oldest first. */
export async function listEventsByPhone(sql: Sql, { accountId, phone }: PhoneKey): Promise<FeedEvent[]> {
  return sql<FeedEvent[]>`
    select transaction_id, id, type, record || jsonb_build_object('sequence', id) as record, created_at
    from events
    where account_id = ${accountId}
      and ${subject(sql)} = ${phone}
    order by id
  `
}

/**
 * Takes a number, and what was written to or by it, out of what was recorded before a time, and out of what was recorded of
 * these messages at any time. Of those that went to it alone, the text and the address too. Tells how many events told it.
 */
export async function eraseEvents(
  sql: Sql,
  {
    accountId,
    phone,
    before,
    messageIds,
    aloneIds
  }: PhoneKey & { before: Date; messageIds: readonly number[]; aloneIds: readonly number[] }
): Promise<number> {
  // First, as these are found by their message only while they tell no number.
  const alone = await sql<{ id: number }[]>`
    update events
    set record = ${withoutTexts(sql)}
    where account_id = ${accountId}
      and ${subject(sql)} = any(${aloneIds.map(String)}::text[])
    returning id
  `
  const told = await sql<{ id: number }[]>`
    update events
    set record = ${withoutTexts(sql)} || '{"recipient": ""}'
    where account_id = ${accountId}
      and ${subject(sql)} = ${phone}
      and (created_at <= ${before} or record ->> 'message_id' = any(${messageIds.map(String)}::text[]))
    returning id
  `
  await eraseAnswers(sql, { accountId, eventIds: [...alone, ...told].map(({ id }) => id) })
  return told.length
}

/** Answers of receivers to events: many repeat the event. */
async function eraseAnswers(
  sql: Sql,
  { accountId, eventIds }: { accountId: number; eventIds: readonly number[] }
): Promise<void> {
  if (eventIds.length === 0) return
  await sql`
    update webhook_deliveries
    set response = ''
    where account_id = ${accountId}
      and event_ids && ${eventIds as number[]}::bigint[]
      and response <> ''
  `
}

/** As the index `events_subject` has it: the number an event tells of, or else its message. */
function subject(sql: Sql) {
  return sql`coalesce(nullif(record ->> 'recipient', ''), record ->> 'message_id')`
}

/** Fields that are there, and are not null, become empty. */
function withoutTexts(sql: Sql) {
  return sql`
    record || coalesce(
      (
        select jsonb_object_agg(key, '')
        from jsonb_each(record)
        where key in ('content', 'url', 'shorturl_url')
          and value <> 'null'
      ),
      '{}'
    )
  `
}
