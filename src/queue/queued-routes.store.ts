import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import type { Category } from '../messages/message.ts'
import { isOfMessageOf } from './conditions.store.ts'
import { dueSince } from './ready-batches.store.ts'

/** The routes with ready batches, found by jumping from one route to the next in the index. */
export async function listQueuedRoutes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ route: string }[]>`
    with recursive found as (
      (select route from batches where is_ready order by route limit 1)
      union all
      select (
        select batches.route
        from batches
        where is_ready
          and batches.route > found.route
        order by batches.route
        limit 1
      )
      from found
      where found.route is not null
    )
    select route
    from found
    where route is not null
  `
  return rows.map(({ route }) => route)
}

/**
 * Moves ready batches from a route that no longer exists to its replacement: all of them, or those of some messages. Future
 * batches follow when they are ready.
 */
export async function rerouteBatches(
  sql: Sql,
  { from, to, messages }: { from: string; to: string; messages?: readonly { accountId: number; messageId: number }[] }
): Promise<void> {
  if (!messages) {
    await sql`
      update batches
      set route = ${to}
      where is_ready
        and route = ${from}
    `
    return
  }
  await sql`
    update batches
    set route = ${to}
    from unnest(
      ${numberArray(messages.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(messages.map(({ messageId }) => messageId))}::bigint[]
    ) as given (account_id, message_id)
    where is_ready
      and route = ${from}
      and ${isOfMessageOf(sql, sql`given`)}
  `
}

/** The same for batches that have been due for some time and that no worker holds. */
export async function rerouteOverdue(
  sql: Sql,
  { from, to, seconds }: { from: string; to: string; seconds: number }
): Promise<void> {
  await sql`
    update batches
    set route = ${to}
    where is_ready
      and route = ${from}
      and ${dueSince(sql)} < now() - make_interval(secs => ${seconds})
      and (leased_until is null or leased_until < now())
  `
}

/** A message with ready batches, as far as routes ask. */
export interface QueuedMessage {
  accountId: number
  messageId: number
  parentId: number | null
  category: Category
  sender: string | undefined
}

/** The messages with ready batches of a route, after one of them. */
export async function listQueuedMessages(
  sql: Sql,
  { route, after, limit }: { route: string; after: Pick<QueuedMessage, 'accountId' | 'messageId'>; limit: number }
): Promise<QueuedMessage[]> {
  const rows = await sql<(Omit<QueuedMessage, 'sender'> & { sender: string | null })[]>`
    select queued.account_id, queued.message_id, accounts.parent_id, messages.category,
      case
        when messages.channel = 'rcs' then rcs_messages.fallback_sender
        when messages.options ->> 'hasCarrierSenders' is null then messages.sender
      end as sender
    from (
      select distinct account_id, message_id
      from batches
      where is_ready
        and route = ${route}
        and (account_id, message_id) > (${after.accountId}, ${after.messageId})
      order by account_id, message_id
      limit ${limit}
    ) as queued
    join messages on messages.account_id = queued.account_id and messages.id = queued.message_id
    join accounts on accounts.id = queued.account_id
    left join rcs_messages
      on rcs_messages.account_id = queued.account_id
      and rcs_messages.message_id = queued.message_id
    order by queued.account_id, queued.message_id
  `
  return rows.map(({ sender, ...row }) => ({ ...row, sender: sender ?? undefined }))
}
