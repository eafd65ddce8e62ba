import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { numberArray } from '../database/number-array.ts'
import type { MessageRef } from '../messages/messages.store.ts'

export interface Visit extends MessageRef {
  /** A hash, in hexadecimal. */
  visitor: string
}

/** Stores visitors of shared links. Returns the new ones. */
export async function insertVisitors(sql: Sql, visits: readonly Visit[]): Promise<Visit[]> {
  return sql<Visit[]>`
    insert into link_visitors (account_id, message_id, visitor)
    select account_id, message_id, decode(visitor, 'hex')
    from unnest(
      ${numberArray(visits.map(({ accountId }) => accountId))}::bigint[],
      ${numberArray(visits.map(({ messageId }) => messageId))}::bigint[],
      ${visits.map(({ visitor }) => visitor)}::text[]
    ) as given (account_id, message_id, visitor)
    on conflict do nothing
    returning account_id, message_id, encode(visitor, 'hex') as visitor
  `
}

export async function deleteOldVisitors(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'link_visitors', column: 'created_at', isIndexed: true }, retention)
}
