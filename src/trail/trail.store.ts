import type { Sql } from '../database/database.ts'
import type { Entry } from './entry.ts'

export interface EntryFilter {
  /** Undefined for the trails of all accounts, without their sends. */
  accountId: number | undefined
  from: Date | undefined
  to: Date | undefined
  personId: number | undefined
  keyId: number | undefined
  operation: string | undefined
  objectKind: string | undefined
  objectId: string | undefined
  hasSends: boolean
}

/** Entries older than `beforeId`, newest first. */
export async function listEntriesBefore(
  sql: Sql,
  filter: EntryFilter,
  { beforeId, limit }: { beforeId: number; limit: number }
): Promise<Entry[]> {
  const { accountId } = filter
  const page = sql`${conditions(sql, filter)} and id < ${beforeId} order by id desc limit ${limit}`
  // Two reads, one per index: with an OR, PostgreSQL would read and sort the whole trail.
  const found =
    accountId === undefined
      ? sql`select * from audit_entries where not is_send ${page}`
      : sql`
          (select * from audit_entries where account_id = ${accountId} ${page})
          union all
          (
            select *
            from audit_entries
            where on_account_id = ${accountId}
              and on_account_id <> account_id
              ${page}
          )
        `
  return sql<Entry[]>`
    select found.id, found.created_at, found.account_id, on_account_id, person_id, key_id, viewed_from, address, operation,
      object_kind, object_id, changes, is_refused, api_keys.name as key_name,
      coalesce(nullif(trim(first_name || ' ' || last_name), ''), email) as person_name
    from (${found}) as found
    left join people on people.id = person_id
    left join api_keys on api_keys.id = key_id
    order by found.id desc
    limit ${limit}
  `
}

function conditions(sql: Sql, filter: EntryFilter) {
  const { from, to, personId, keyId, operation, objectKind, objectId, hasSends } = filter
  return sql`
    ${from ? sql`and created_at >= ${from}` : sql``}
    ${to ? sql`and created_at < ${to}` : sql``}
    ${personId === undefined ? sql`` : sql`and person_id = ${personId}`}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    ${objectKind === undefined ? sql`` : sql`and object_kind = ${objectKind}`}
    ${objectId === undefined ? sql`` : sql`and object_id = ${objectId}`}
    ${hasSends ? sql`` : sql`and not is_send`}
  `
}
