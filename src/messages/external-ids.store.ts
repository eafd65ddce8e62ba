import type { Sql } from '../database/database.ts'

export interface ExternalId {
  accountId: number
  externalId: string
  messageId: number
}

/** The result of claiming an external id. */
export interface ExternalIdClaim extends ExternalId {
  /** Whether the id was free and now belongs to this message. */
  isTaken: boolean
  /** Whether another transaction is claiming the id and will end soon. It may still leave the id free. */
  isContested: boolean
}

/**
 * Claims external ids. It never waits for another transaction that claims the same id. That transaction may store a
 * million recipients, and every send in this transaction would wait with it.
 */
export async function insertExternalIds(sql: Sql, ids: readonly ExternalId[]): Promise<ExternalIdClaim[]> {
  if (ids.length === 0) return []
  return sql<ExternalIdClaim[]>`
    with locked as materialized (
      select account_id, external_id, message_id, pg_try_advisory_xact_lock(${externalIdLock(sql, 'id')}) as is_locked
      from ${unnestIds(sql, ids)}
    ),
    inserted as (
      insert into external_ids (account_id, external_id, message_id)
      select account_id, external_id, message_id
      from locked
      where is_locked
      order by account_id, external_id, message_id
      on conflict do nothing
      returning account_id, external_id, message_id
    )
    select
      account_id, external_id, locked.message_id,
      inserted.message_id is not null as is_taken,
      case when is_locked then false else pg_try_advisory_xact_lock_shared(${externalIdLock(sql, 'long')}) end as is_contested
    from locked
    left join inserted using (account_id, external_id, message_id)
  `
}

/** The message that has an external id. */
export async function findMessageByExternalId(
  sql: Sql,
  { accountId, externalId }: { accountId: number; externalId: string }
): Promise<number | undefined> {
  const [row] = await sql<{ messageId: number }[]>`
    select message_id
    from external_ids
    where account_id = ${accountId}
      and external_id = ${externalId}
  `
  return row?.messageId
}

/** Announces that this transaction, which is about to claim the id, will be a long one. */
export async function lockLongSend(sql: Sql, id: ExternalId): Promise<void> {
  await sql`select pg_try_advisory_xact_lock(${externalIdLock(sql, 'long')}) from ${unnestIds(sql, [id])}`
}

/** Points external ids at the messages that finally have them. */
export async function updateExternalIds(sql: Sql, ids: readonly ExternalId[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update external_ids
    set message_id = given.message_id
    from ${unnestIds(sql, ids)}
    where external_ids.account_id = any(array[given.account_id])
      and external_ids.external_id = given.external_id
      and external_ids.message_id <> given.message_id
  `
}

/** Releases external ids that no message used. */
export async function deleteExternalIds(sql: Sql, ids: readonly ExternalId[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from external_ids
    using ${unnestIds(sql, ids)}
    where external_ids.account_id = any(array[given.account_id])
      and external_ids.external_id = given.external_id
  `
}

/** Negative, because locks on message ids use the positive numbers. */
function externalIdLock(sql: Sql, lock: 'id' | 'long') {
  return sql`hashtextextended(${`external ${lock} `}::text || account_id || ' ' || external_id, 0) | (1::bigint << 63)`
}

function unnestIds(sql: Sql, ids: readonly ExternalId[]) {
  return sql`
    unnest(
      ${ids.map(({ accountId }) => accountId)}::bigint[],
      ${ids.map(({ externalId }) => externalId)}::text[],
      ${ids.map(({ messageId }) => messageId)}::bigint[]
    ) as given (account_id, external_id, message_id)
  `
}
