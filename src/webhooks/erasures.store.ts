import type { Sql } from '../database/database.ts'
import type { FeedEvent } from './feed.ts'

/*
 * Events about a number. The body of a delivery is made from its events whenever it is shown or posted again, so a number that
 * leaves the events leaves the deliveries too.
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
 * Removes a number, and texts to or from it, from events that were recorded before a time, and from events of these messages of
 * any time. Events of messages to this number alone lose the text and the address too. Returns the number of events.
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
  // First: these events are found by their message only while they name no number.
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

/** As the index `events_subject` has it: the number that an event is about, else its message. */
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
