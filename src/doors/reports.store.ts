import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import { isGiven, unnestRecipientKeys } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import type { TraceContext } from '../traces/trace-context.ts'

/** A recipient, as far as reports tell of it. */
export interface ReportedRecipient extends RecipientKey {
  phone: string
  sender: string
  content: string
  segments: number
  carrier: string | null
  carrierMessageIds: string[] | null
  /** The word of the carrier, such as `UNDELIV err:001`. */
  receipt: string | null
  errorCode: string | null
  sentAt: Date | null
  /** The context of the message's acceptance; null without traces. */
  trace: TraceContext | null
}

export async function listReportedRecipients(sql: Sql, keys: readonly RecipientKey[]): Promise<ReportedRecipient[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<ReportedRecipient[]>`
    select recipients.account_id, recipients.message_id, recipients.position, phone, sender, segments, carrier,
      carrier_message_ids, receipt, error_code, sent_at, trace, coalesce(recipients.content, messages.content) as content
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    join (select distinct * from ${unnestRecipientKeys(sql, keys)}) as given on ${isGiven(sql, ofAccounts, keys)}
  `
  )
}
