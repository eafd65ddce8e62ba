import type { Sql } from '../database/database.ts'
import type { PaidMove, RecipientKey } from '../messages/moves.store.ts'
import { RECIPIENT_STATES } from '../messages/recipient.ts'

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
  if (words.length === 0) return []
  const sorted = words.toSorted((a, b) => a.messageId - b.messageId || a.position - b.position)
  return sql<PaidMove[]>`
    update recipients
    set state = given.to_state,
        delivered_at = coalesce(delivered_at, least(now(), greatest(sent_at, arrived_at::timestamptz))),
        read_at = case
          when given.to_state = ${RECIPIENT_STATES.read}
          then least(now(), greatest(sent_at, delivered_at, seen_at::timestamptz))
        end,
        receipt = coalesce(recipients.receipt, given.receipt)
    from unnest(
      ${sorted.map(({ accountId }) => accountId)}::bigint[],
      ${sorted.map(({ messageId }) => messageId)}::bigint[],
      ${sorted.map(({ position }) => position)}::integer[],
      ${sorted.map(({ from }) => from)}::smallint[],
      ${sorted.map(({ to }) => to)}::smallint[],
      ${sorted.map(({ deliveredAt }) => deliveredAt.toISOString())}::text[],
      ${sorted.map(({ readAt }) => readAt.toISOString())}::text[],
      ${sorted.map(({ receipt }) => receipt)}::text[]
    ) as given (account_id, message_id, position, from_state, to_state, arrived_at, seen_at, receipt)
    where recipients.account_id = given.account_id
      and recipients.message_id = given.message_id
      and recipients.position = given.position
      and recipients.state = given.from_state
      and recipients.channel is null
    returning recipients.account_id, recipients.message_id, recipients.position, from_state as "from", state as "to",
      segments, credits, false as is_fallback
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
