import type { Sql } from '../database/database.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import { RECIPIENT_STATES, type Recipient } from './recipient.ts'

/** Failed recipients of an SMS message that were not resent yet, after a position, in the order of the request. */
export async function listUnresent(
  sql: Sql,
  { accountId, id }: MessageKey,
  { afterPosition, limit }: { afterPosition: number; limit: number }
): Promise<Pick<Recipient, 'position' | 'phone' | 'content'>[]> {
  return sql`
    select position, phone, content
    from recipients
    where ${isUnresent(sql, { accountId, id })}
      and position > ${afterPosition}
    order by position
    limit ${limit}
  `
}

/** Marks recipients as resent by a message that the caller has just stored. */
export async function updateToResent(
  sql: Sql,
  { accountId, id }: MessageKey,
  { resentAs }: { resentAs: number }
): Promise<void> {
  await sql`
    update recipients
    set resent_as = ${resentAs}
    where ${isUnresent(sql, { accountId, id })}
      and exists (
        select 1
        from recipients as again
        where again.account_id = ${accountId}
          and again.message_id = ${resentAs}
          and again.phone = recipients.phone
      )
  `
}

function isUnresent(sql: Sql, { accountId, id }: MessageKey) {
  const { failed, expired, rejected } = RECIPIENT_STATES
  return sql`
    account_id = ${accountId}
    and message_id = ${id}
    and state in (${failed}, ${expired}, ${rejected})
    and resent_as is null
  `
}
