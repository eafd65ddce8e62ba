import type { Sql } from '../database/database.ts'
import { BIND_EVENTS } from '../webhooks/bind-subscriptions.store.ts'

/*
 * What customers' binds are to be told: the receipts that a submit asked for, and the deliver_sm that are due. Every row is
 * written by the transaction of its cause, and removed when a bind has answered it.
 */

/** What a submit wants to be told, as bits. */
export const WANTS = { success: 1, failure: 2, intermediate: 4 } as const

/** What the customer wants to hear of a message: bits of `WANTS`, and the reference that receipts repeat. */
export interface SubmitWishes {
  wants: number
  reference: number | undefined
  /** Of a long message, the parts that were submitted, each with an id of its own. */
  parts?: readonly { smppId: number; wants: number; reference: number | undefined }[]
}

export interface NewSubmit {
  accountId: number
  messageId: number
  smppId: number
  wants: number
  reference: number | null
}

/** The rows of a message: one for each part, or one if receipts are wanted. */
export function toSubmits(
  { accountId, wishes }: { accountId: number; wishes?: SubmitWishes | undefined },
  messageId: number
): NewSubmit[] {
  if (!wishes) return []
  const { wants, reference } = wishes
  const parts = wishes.parts ?? (wants === 0 ? [] : [{ smppId: messageId, wants, reference }])
  return parts.map((part) => ({ accountId, messageId, ...part, reference: part.reference ?? null }))
}

export async function insertSubmits(sql: Sql, submits: readonly NewSubmit[]): Promise<void> {
  if (submits.length === 0) return
  await sql`
    insert into smpp_submits (account_id, message_id, smpp_id, wants, reference)
    select *
    from unnest(
      ${submits.map(({ accountId }) => accountId)}::bigint[],
      ${submits.map(({ messageId }) => messageId)}::bigint[],
      ${submits.map(({ smppId }) => smppId)}::bigint[],
      ${submits.map(({ wants }) => wants)}::smallint[],
      ${submits.map(({ reference }) => reference)}::integer[]
    )
  `
}

/** The message of an id that the customer knows, if it is not the id of the message itself. */
export async function findSubmittedMessage(
  sql: Sql,
  { accountId, smppId }: { accountId: number; smppId: number }
): Promise<number | undefined> {
  const [row] = await sql<{ messageId: number }[]>`
    select message_id
    from smpp_submits
    where account_id = ${accountId}
      and smpp_id = ${smppId}
  `
  return row?.messageId
}

/** A recipient that reached a state, and the bit of `WANTS` that the state is. */
export interface ReachedState {
  accountId: number
  messageId: number
  position: number
  state: number
  want: number
}

/** Records the receipts that these states cause: one for each part of a submit that wants it. */
export async function insertReceipts(sql: Sql, reached: readonly ReachedState[]): Promise<void> {
  if (reached.length === 0) return
  await sql`
    insert into smpp_deliveries (account_id, id, smpp_id, message_id, position, state)
    select given.account_id, nextval('smpp_delivery_ids'), smpp_id, given.message_id, position, state
    from unnest(
      ${reached.map(({ accountId }) => accountId)}::bigint[],
      ${reached.map(({ messageId }) => messageId)}::bigint[],
      ${reached.map(({ position }) => position)}::integer[],
      ${reached.map(({ state }) => state)}::smallint[],
      ${reached.map(({ want }) => want)}::smallint[]
    ) with ordinality as given (account_id, message_id, position, state, want, number)
    join smpp_submits on smpp_submits.account_id = any(array[given.account_id])
      and smpp_submits.message_id = given.message_id
    where wants & want <> 0
    order by number, smpp_id
  `
}

/** Records a reply for the binds of its account, if it has credentials. */
export async function insertReplyDelivery(sql: Sql, reply: { accountId: number; replyId: number }): Promise<void> {
  await sql`
    insert into smpp_deliveries (account_id, id, reply_id)
    select account_id, nextval('smpp_delivery_ids'), ${reply.replyId}
    from event_subscriptions
    where account_id = ${reply.accountId}
      and type = ${BIND_EVENTS}
  `
}

/** Records the failure of parts whose message never became complete. */
export async function insertLostParts(
  sql: Sql,
  parts: readonly { accountId: number; smppId: number; state: number }[]
): Promise<void> {
  if (parts.length === 0) return
  await sql`
    insert into smpp_deliveries (account_id, id, smpp_id, state)
    select account_id, nextval('smpp_delivery_ids'), smpp_id, state
    from unnest(
      ${parts.map(({ accountId }) => accountId)}::bigint[],
      ${parts.map(({ smppId }) => smppId)}::bigint[],
      ${parts.map(({ state }) => state)}::smallint[]
    ) as given (account_id, smpp_id, state)
    order by smpp_id
  `
}

/** A deliver_sm that a bind is to send. */
export interface DueDelivery {
  id: number
  smppId: number | null
  messageId: number | null
  position: number | null
  state: number | null
  replyId: number | null
  reference: number | null
  createdAt: Date
}

/** Of these accounts, those that have something to claim. */
export async function listDueAccounts(sql: Sql, accountIds: readonly number[]): Promise<Set<number>> {
  const rows = await sql<{ accountId: number }[]>`
    select account_id
    from unnest(${accountIds as number[]}::bigint[]) as given (account_id)
    where exists (
      select
      from smpp_deliveries
      where smpp_deliveries.account_id = any(array[given.account_id])
        and due_at <= now()
        and (claimed_by is null or ${isOver(sql)})
    )
  `
  return new Set(rows.map(({ accountId }) => accountId))
}

/**
 * Claims due deliveries for a bind. A claim ends with the lease of its bind. Of the receipts of one recipient, the next one
 * follows when the one before was answered.
 */
export async function claimDeliveries(
  sql: Sql,
  { accountId, bindId, limit }: { accountId: number; bindId: string; limit: number }
): Promise<DueDelivery[]> {
  // An array of ids and a look-up for each row: joins would read both tables from end to end.
  const claimed = await sql<DueDelivery[]>`
    with due as (
      select id
      from smpp_deliveries
      where account_id = ${accountId}
        and due_at <= now()
        and (claimed_by is null or ${isOver(sql)})
        and not exists (
          select
          from smpp_deliveries as earlier
          where earlier.account_id = ${accountId}
            and earlier.message_id = smpp_deliveries.message_id
            and earlier.id < smpp_deliveries.id
            and earlier.position = smpp_deliveries.position
            and earlier.smpp_id = smpp_deliveries.smpp_id
        )
      order by due_at, id
      limit ${limit}
      for update skip locked
    )
    update smpp_deliveries
    set claimed_by = ${bindId}, attempts = least(attempts + 1, 1000)
    where account_id = ${accountId}
      and id = any(array(select id from due))
    returning id, smpp_id, message_id, position, state, reply_id, created_at, (
      select reference
      from smpp_submits
      where smpp_submits.account_id = ${accountId}
        and smpp_submits.smpp_id = smpp_deliveries.smpp_id
    ) as reference
  `
  return claimed.sort((a, b) => a.id - b.id)
}

/** Whether the lease of the bind that has it is over. */
function isOver(sql: Sql) {
  return sql`not exists (
    select
    from smpp_binds
    where smpp_binds.id = claimed_by
      and leased_until > now()
  )`
}

/** A bind has answered these. */
export async function deleteDeliveries(
  sql: Sql,
  deliveries: readonly { accountId: number; id: number; bindId: string }[]
): Promise<void> {
  await sql`
    delete from smpp_deliveries
    using unnest(
      ${deliveries.map(({ accountId }) => accountId)}::bigint[],
      ${deliveries.map(({ id }) => id)}::bigint[],
      ${deliveries.map(({ bindId }) => bindId)}::uuid[]
    ) as given (account_id, id, bind_id)
    where smpp_deliveries.account_id = any(array[given.account_id])
      and smpp_deliveries.id = given.id
      and claimed_by = bind_id
  `
}

/** A bind refused this one: it is due again later, and ever later. */
export async function postponeDelivery(
  sql: Sql,
  { accountId, id, bindId }: { accountId: number; id: number; bindId: string }
): Promise<void> {
  await sql`
    update smpp_deliveries
    set claimed_by = null, due_at = now() + make_interval(secs => least(600, 2 ^ least(attempts, 10)))
    where account_id = ${accountId}
      and id = ${id}
      and claimed_by = ${bindId}
  `
}

/** What a bind has claimed is due at once for any other: the bind has gone, or sends none of it except these. */
export async function releaseDeliveries(
  sql: Sql,
  { accountId, bindId, except }: { accountId: number; bindId: string; except: readonly number[] }
): Promise<void> {
  await sql`
    update smpp_deliveries
    set claimed_by = null
    where account_id = ${accountId}
      and claimed_by = ${bindId}
      and id <> all(${except as number[]}::bigint[])
  `
}

/** Removes all deliveries that no bind has answered, of all accounts. Returns how many. */
export async function deleteWaitingDeliveries(sql: Sql): Promise<number> {
  const { count } = await sql`delete from smpp_deliveries`
  return count
}

/** Removes what no bind has answered for so long. Returns how many. */
export async function deleteOldBindDeliveries(
  sql: Sql,
  { hours, limit }: { hours: number; limit: number }
): Promise<number> {
  const { count } = await sql`
    delete from smpp_deliveries
    where (account_id, id) in (
      select account_id, id
      from smpp_deliveries
      where created_at < now() - make_interval(hours => ${hours})
      limit ${limit}
    )
  `
  return count
}

/** Removes wishes that are as old as messages may become. Returns how many. */
export async function deleteOldSubmits(sql: Sql, { days, limit }: { days: number; limit: number }): Promise<number> {
  const { count } = await sql`
    delete from smpp_submits
    where (account_id, smpp_id) in (
      select account_id, smpp_id
      from smpp_submits
      where created_at < now() - make_interval(days => ${days})
      limit ${limit}
    )
  `
  return count
}
