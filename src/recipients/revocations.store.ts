import type { Sql } from '../database/database.ts'
import type { MessageKey } from '../messages/messages.store.ts'
import type { RecipientKey } from './moves.store.ts'
import { RECIPIENT_STATES } from './recipient.ts'

/** Positions of those who wait for an SMS in the place of an RCS, but for some. None leaves while submitting is locked. */
export async function listWaitingFallbacks(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except }: { except: readonly number[] }
): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    select position
    from recipients
    where account_id = ${accountId}
      and message_id = ${id}
      and state = ${RECIPIENT_STATES.waiting}
      and channel = 'sms'
      and position <> all(${except as number[]}::integer[])
  `
  return rows.map(({ position }) => position)
}

/**
 * All of a message that has left by RCS and is not delivered is to be revoked, unless the platform does not have it any more;
 * tells how many are neither delivered nor given up.
 */
export async function updateWaitsToCancelled(sql: Sql, { accountId, id }: MessageKey): Promise<number> {
  const { count } = await sql`
    update rcs_waits
    set step = case when step = 'report' then 'cancelled' else step end,
        due_at = case when step = 'report' then now() else due_at end
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return count
}

/**
 * Of those who wait, but for some, the ones that the platform may have although no answer came: they count as sent from now
 * on, and are to be revoked. Tells who they are.
 */
export async function updateToRevocable(
  sql: Sql,
  { accountId, id }: MessageKey,
  { except }: { except: readonly number[] }
): Promise<number[]> {
  const rows = await sql<{ position: number }[]>`
    with sent as (
      update recipients
      set state = ${RECIPIENT_STATES.sent}, sent_at = now()
      where account_id = ${accountId}
        and message_id = ${id}
        and state = ${RECIPIENT_STATES.waiting}
        and channel is null
        and carrier is not null
        and position <> all(${except as number[]}::integer[])
      returning position, carrier
    )
    insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds)
    select ${accountId}, ${id}, position, carrier, 'cancelled', now(), now() + interval '1 hour', 5
    from sent
    on conflict do nothing
    returning position
  `
  return rows.map(({ position }) => position)
}

/** How a recipient ends whose RCS is revoked, unless the RCS arrives first. */
export type Ending = 'stopped' | 'expired'

/** The same for recipients of any messages that are to end otherwise than by a cancel. Those that wait for an SMS stay. */
export async function updateToWithdrawn(
  sql: Sql,
  recipients: readonly (RecipientKey & { ending: Ending })[]
): Promise<RecipientKey[]> {
  if (recipients.length === 0) return []
  return sql<RecipientKey[]>`
    with sent as (
      update recipients
      set state = ${RECIPIENT_STATES.sent}, sent_at = now()
      from unnest(
        ${recipients.map(({ accountId }) => accountId)}::bigint[],
        ${recipients.map(({ messageId }) => messageId)}::bigint[],
        ${recipients.map(({ position }) => position)}::integer[],
        ${recipients.map(({ ending }) => ending)}::text[]
      ) as given (account_id, message_id, position, ending)
      join messages
        on messages.account_id = given.account_id
        and messages.id = given.message_id
        and messages.channel = 'rcs'
      where recipients.account_id = given.account_id
        and recipients.message_id = given.message_id
        and recipients.position = given.position
        and recipients.state = ${RECIPIENT_STATES.waiting}
        and recipients.channel is null
        and recipients.carrier is not null
      returning recipients.account_id, recipients.message_id, recipients.position, recipients.carrier, ending
    ),
    waits as (
      insert into rcs_waits (account_id, message_id, position, carrier, step, due_at, expires_at, grace_seconds, ending)
      select account_id, message_id, position, carrier, 'cancelled', now(), now() + interval '1 hour', 5, ending
      from sent
    )
    select account_id, message_id, position
    from sent
  `
}
