import type { Sql } from '../database/database.ts'
import { fewRows } from '../database/id-span.ts'
import type { RecipientKey } from '../recipients/move.ts'
import type { RecipientState } from '../recipients/recipient.ts'
import { isInSpanOf } from '../recipients/recipients.store.ts'

/** A recipient that a report is about. */
export interface ReportedRecipient extends RecipientKey {
  state: RecipientState
  /** `sms` once it fell back. */
  channel: 'sms' | null
}

/**
 * Recipients by what a report names. Of any account: the platform does not know whose message it was. By their phone,
 * which finds them without the account, and only if the report names the right one.
 */
export async function listReported(
  sql: Sql,
  named: readonly { phone: string; messageId: number; position: number }[]
): Promise<ReportedRecipient[]> {
  if (named.length === 0) return []
  const given = sql`
    unnest(
      ${named.map(({ phone }) => phone)}::text[],
      ${named.map(({ messageId }) => messageId)}::bigint[],
      ${named.map(({ position }) => position)}::integer[]
    ) as given (phone, message_id, position)
  `
  return sql<ReportedRecipient[]>`
    select account_id, recipients.message_id, recipients.position, state, channel
    from recipients
    join ${fewRows(sql, given, named.length)} as given
      on given.phone = recipients.phone
      and given.message_id = recipients.message_id
      and given.position = recipients.position
    where ${isInSpanOf(sql, named)}
  `
}
