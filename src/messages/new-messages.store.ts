import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { TraceContext } from '../traces/trace-context.ts'
import type { Message } from './message.ts'
import type { MessageKey } from './messages.store.ts'

export type NewMessage = MessageKey &
  Pick<
    Message,
    | 'channel'
    | 'category'
    | 'state'
    | 'content'
    | 'sender'
    | 'externalId'
    | 'scheduledAt'
    | 'recipientsCount'
    | 'segmentsCount'
    | 'creditsRequired'
    | 'shorturlMode'
    | 'shorturlUrl'
    | 'resendOf'
    | 'options'
    | 'name'
    | 'tags'
    | 'replaces'
  > & {
    /** The context of its acceptance, for the spans of its further way; null without traces. */
    trace: TraceContext | null
  }

/** Draws ids before anything is written: recipients and batches carry them too. */
export async function drawMessageIds(sql: Sql, count: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select nextval('message_ids') as id
    from generate_series(1, ${count})
  `
  return rows.map(({ id }) => id)
}

/** Every recipient of a new message is waiting. */
export async function insertMessages(sql: Sql, messages: readonly NewMessage[]): Promise<void> {
  const [first] = messages
  if (first && messages.every((message) => isPlain(message) && isLike(message, first))) {
    return insertPlainMessages(sql, messages, first)
  }
  await sql`
    insert into messages (
      account_id, id, channel, category, state, content, sender, external_id, scheduled_at, recipients_count, segments_count,
      credits_required, waiting_count, shorturl_mode, shorturl_url, resend_of, options, name, tags, replaces, trace
    )
    select account_id, id, channel, category, state, content, sender, external_id, scheduled_at::timestamptz, recipients_count,
      segments_count, credits_required, recipients_count, shorturl_mode, shorturl_url, resend_of, options::jsonb, name,
      case when tags is not null then array(select jsonb_array_elements_text(tags::jsonb)) end, replaces, trace
    from unnest(
      ${messages.map(({ accountId }) => accountId)}::bigint[],
      ${messages.map(({ id }) => id)}::bigint[],
      ${messages.map(({ channel }) => channel)}::text[],
      ${messages.map(({ category }) => category)}::text[],
      ${messages.map(({ state }) => state)}::text[],
      ${messages.map(({ content }) => content)}::text[],
      ${messages.map(({ sender }) => sender)}::text[],
      ${messages.map(({ externalId }) => externalId)}::text[],
      ${messages.map(({ scheduledAt }) => scheduledAt.toISOString())}::text[],
      ${messages.map(({ recipientsCount }) => recipientsCount)}::integer[],
      ${messages.map(({ segmentsCount }) => segmentsCount)}::integer[],
      ${messages.map(({ creditsRequired }) => creditsRequired)}::bigint[],
      ${messages.map(({ shorturlMode }) => shorturlMode)}::text[],
      ${messages.map(({ shorturlUrl }) => shorturlUrl)}::text[],
      ${messages.map(({ resendOf }) => resendOf)}::bigint[],
      ${messages.map(({ options }) => options && JSON.stringify(options))}::text[],
      ${messages.map(({ name }) => name)}::text[],
      ${messages.map(({ tags }) => tags && JSON.stringify(tags))}::text[],
      ${messages.map(({ replaces }) => replaces)}::bigint[],
      ${messages.map(({ trace }) => trace)}::text[]
    ) as given (
      account_id, id, channel, category, state, content, sender, external_id, scheduled_at, recipients_count, segments_count,
      credits_required, shorturl_mode, shorturl_url, resend_of, options, name, tags, replaces, trace
    )
  `
}

/** Counts new messages. The balances of the same accounts are locked first: one order avoids deadlocks. */
export async function updateMessageCounts(sql: Sql, accountIds: readonly number[]): Promise<void> {
  const counts = new Map<number, number>()
  for (const id of accountIds.toSorted((a, b) => a - b)) counts.set(id, (counts.get(id) ?? 0) + 1)
  await sql`
    insert into message_counts (account_id, messages_count)
    select *
    from unnest(${numberArray([...counts.keys()])}::bigint[], ${numberArray([...counts.values()])}::bigint[])
    on conflict (account_id) do update
    set messages_count = message_counts.messages_count + excluded.messages_count
  `
}

/** Gives a scheduled message, which had none, its recipients. All of them are waiting. */
export async function updateDeparting(sql: Sql, message: NewMessage): Promise<void> {
  // A message may depart long after its time: it was paused, or its account suspended. Then its figures were folded while it had
  // no recipients. First, and alone: the trigger of folded messages would count what the next statement changes.
  await sql`
    update messages
    set is_folded = false
    where account_id = ${message.accountId}
      and id = ${message.id}
      and is_folded
  `
  await sql`
    update messages
    set state = ${message.state},
        content = ${message.content},
        sender = ${message.sender},
        scheduled_at = ${message.scheduledAt},
        departed_at = now(),
        recipients_count = ${message.recipientsCount},
        waiting_count = ${message.recipientsCount},
        segments_count = ${message.segmentsCount},
        credits_required = ${message.creditsRequired},
        options = ${message.options === null ? null : sql.json(message.options)}
    where account_id = ${message.accountId}
      and id = ${message.id}
  `
}

/** A message without an id of its own, without links, options, name, tags and trace, and not sent again. */
function isPlain({
  externalId,
  shorturlMode,
  shorturlUrl,
  resendOf,
  options,
  name,
  tags,
  replaces,
  trace
}: NewMessage): boolean {
  return [externalId, shorturlMode, shorturlUrl, resendOf, options, name, tags, replaces, trace].every(
    (value) => value === null
  )
}

function isLike(a: NewMessage, b: NewMessage): boolean {
  return a.channel === b.channel && a.category === b.category && a.state === b.state
}

/** Most messages that arrive together are plain. What they share is sent and read once. */
async function insertPlainMessages(
  sql: Sql,
  messages: readonly NewMessage[],
  { channel, category, state }: NewMessage
): Promise<void> {
  await sql`
    insert into messages (
      account_id, id, channel, category, state, content, sender, scheduled_at, recipients_count, segments_count,
      credits_required, waiting_count
    )
    select account_id, id, ${channel}::text, ${category}::text, ${state}::text, content, sender,
      scheduled_at::timestamptz, recipients_count, segments_count, credits_required, recipients_count
    from unnest(
      ${numberArray(messages.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(messages.map(({ id }) => id))}::bigint[],
      ${messages.map(({ content }) => content)}::text[],
      ${messages.map(({ sender }) => sender)}::text[],
      ${messages.map(({ scheduledAt }) => scheduledAt.toISOString())}::text[],
      ${numberArray(messages.map(({ recipientsCount }) => recipientsCount))}::integer[],
      ${numberArray(messages.map(({ segmentsCount }) => segmentsCount))}::integer[],
      ${numberArray(messages.map(({ creditsRequired }) => creditsRequired))}::bigint[]
    ) as given (
      account_id, id, content, sender, scheduled_at, recipients_count, segments_count, credits_required
    )
  `
}
