import { strict as assert } from 'node:assert'
import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { PaidMove, RecipientKey } from '../recipients/moves.store.ts'
import { RECIPIENT_STATES } from '../recipients/recipient.ts'

/** A recipient that a report is about. */
export interface ReportedRecipient extends RecipientKey {
  state: number
  /** `sms` once it fell back. */
  channel: 'sms' | null
}

/**
 * Recipients by what a report names. Of any account: the platform does not know whose message it was. By their phone, which
 * finds them without the account, and only if the report names the right one.
 */
export async function listReported(
  sql: Sql,
  named: readonly { phone: string; messageId: number; position: number }[]
): Promise<ReportedRecipient[]> {
  if (named.length === 0) return []
  return sql<ReportedRecipient[]>`
    select account_id, recipients.message_id, recipients.position, state, channel
    from recipients
    join unnest(
      ${named.map(({ phone }) => phone)}::text[],
      ${named.map(({ messageId }) => messageId)}::bigint[],
      ${named.map(({ position }) => position)}::integer[]
    ) as given (phone, message_id, position)
      on given.phone = recipients.phone
      and given.message_id = recipients.message_id
      and given.position = recipients.position
  `
}

/** What the platform says became of an RCS that it took. */
export interface RcsWord extends RecipientKey {
  /** Where it must be now: sent, or delivered; and where it goes: delivered, or read. */
  from: number
  to: number
  deliveredAt: Date
  /** Only looked at if it is read. */
  readAt: Date
  /** The platform's own word. */
  receipt: string
}

/**
 * Moves those that are still where their word begins, and did not fall back meanwhile. The platform's clock is not ours: it
 * arrived after it left, and before now.
 */
export async function updateByRcsReport(sql: Sql, words: readonly RcsWord[]): Promise<PaidMove[]> {
  // Of each message by one walk along the index, in one order for everybody. A join with what is given is planned while the
  // tables are empty, and may then go through all recipients for each of them.
  const sorted = words.toSorted((a, b) => a.messageId - b.messageId || a.position - b.position)
  const groups = Map.groupBy(sorted, ({ messageId, from, to }) => `${messageId} ${from} ${to}`)
  return (await Promise.all([...groups.values()].map((alike) => updateAlike(sql, alike)))).flat()
}

async function updateAlike(sql: Sql, words: readonly RcsWord[]): Promise<PaidMove[]> {
  const [first] = words
  assert(first)
  const { accountId, messageId, from, to } = first
  const said = Object.fromEntries(
    words.map(({ position, deliveredAt, readAt, receipt }) => [position, [deliveredAt, readAt, receipt]])
  )
  const part = (index: number) => sql`(${sql.json(said as never)}::jsonb -> position::text ->> ${index}::integer)`
  return sql<PaidMove[]>`
    update recipients
    set state = ${to},
        delivered_at = coalesce(delivered_at, least(now(), greatest(sent_at, ${part(0)}::timestamptz))),
        read_at = case
          when ${to}::smallint = ${RECIPIENT_STATES.read}
          then least(now(), greatest(sent_at, delivered_at, ${part(1)}::timestamptz))
        end,
        receipt = coalesce(receipt, ${part(2)})
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = any(${numberArray(words.map(({ position }) => position))}::integer[])
      and state = ${from}
      and channel is null
    returning account_id, message_id, position, ${from}::smallint as "from", state as "to", segments, credits,
      false as is_fallback
  `
}

/** Of those that were read: when they were delivered, if that was earlier than it was thought. */
export async function updateDeliveredAt(
  sql: Sql,
  recipients: readonly (RecipientKey & { deliveredAt: Date })[]
): Promise<void> {
  if (recipients.length === 0) return
  const sorted = recipients.toSorted((a, b) => a.messageId - b.messageId || a.position - b.position)
  await sql`
    update recipients
    set delivered_at = least(delivered_at, greatest(sent_at, arrived_at::timestamptz))
    from unnest(
      ${sorted.map(({ accountId }) => accountId)}::bigint[],
      ${sorted.map(({ messageId }) => messageId)}::bigint[],
      ${sorted.map(({ position }) => position)}::integer[],
      ${sorted.map(({ deliveredAt }) => deliveredAt.toISOString())}::text[]
    ) as given (account_id, message_id, position, arrived_at)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state = ${RECIPIENT_STATES.read}
      and recipients.channel is null
  `
}
