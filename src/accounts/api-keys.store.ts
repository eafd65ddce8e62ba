import type { Sql } from '../database/database.ts'
import type { Permission } from '../http/permission.ts'
import { notifyAccountChanged } from '../people/notices.store.ts'

export interface NewApiKey {
  accountId: number
  name: string
  keyHash: Buffer
  isFirst: boolean
  scopes: readonly Permission[]
  addresses: readonly string[]
  expiresAt: Date | null
  creditsPerDay?: number | null
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<{ id: number }> {
  const [row] = await sql<[{ id: number }]>`
    insert into api_keys (id, account_id, name, key_hash, is_first, scopes, addresses, expires_at, credits_per_day)
    values (
      nextval('api_key_ids'), ${key.accountId}, ${key.name}, ${key.keyHash}, ${key.isFirst},
      ${key.scopes as string[]}::text[], ${key.addresses as string[]}::text[], ${key.expiresAt},
      ${key.creditsPerDay ?? null}
    )
    returning id
  `
  return row
}

/** A row of `api_keys`, its secret aside. */
export interface ApiKey {
  id: number
  name: string
  isFirst: boolean
  scopes: Permission[]
  addresses: string[]
  createdAt: Date
  expiresAt: Date | null
  /** Of confirmed sends; null for the default. */
  creditsPerDay: number | null
  lastUsedAt: Date | null
  /** The key that took its place. */
  replacedBy: number | null
}

/** Newest first; a key that was replaced and is over is left out. */
export async function listApiKeys(sql: Sql, accountId: number): Promise<ApiKey[]> {
  return sql<ApiKey[]>`
    select ${keyColumns(sql)}
    from api_keys
    where account_id = ${accountId}
      and (replaced_by is null or expires_at > now())
    order by id desc
  `
}

export async function findApiKey(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    select ${keyColumns(sql)}
    from api_keys
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

/** Sends that a key confirms are counted one after the other. */
export async function lockApiKey(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<void> {
  await sql`
    select
    from api_keys
    where account_id = ${accountId}
      and id = ${id}
    for update
  `
}

/** Keys that were replaced do not count: a rotation must always be possible. */
export async function countApiKeys(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from api_keys
    where account_id = ${accountId}
      and replaced_by is null
  `
  return row.count
}

export interface ApiKeyChanges extends Pick<ApiKey, 'name' | 'scopes' | 'addresses' | 'expiresAt' | 'creditsPerDay'> {
  accountId: number
  id: number
}

/** What holds for a key holds for its old secret too, which works beside it for a while. */
export async function updateApiKey(
  sql: Sql,
  { accountId, id, name, scopes, addresses, expiresAt, creditsPerDay }: ApiKeyChanges
): Promise<void> {
  await sql`
    update api_keys
    set name = ${name}, scopes = ${scopes as string[]}::text[], addresses = ${addresses}::text[],
        expires_at = ${expiresAt}, credits_per_day = ${creditsPerDay}
    where account_id = ${accountId}
      and id = ${id}
  `
  await sql`
    update api_keys
    set name = ${name}, scopes = ${scopes as string[]}::text[], addresses = ${addresses}::text[],
        expires_at = least(expires_at, ${expiresAt})
    where account_id = ${accountId}
      and replaced_by = ${id}
  `
  await notifyAccountChanged(sql, accountId)
}

/** A key that it replaced ends with it. */
export async function deleteApiKey(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<void> {
  await sql`
    delete from api_keys
    where account_id = ${accountId}
      and id = ${id}
  `
  await notifyAccountChanged(sql, accountId)
}

/**
 * Gives a key a new secret. The old secret becomes a key of its own, which ends after the overlap. Without an overlap it
 * ends with the commit, and so does one of an earlier rotation.
 */
export async function replaceApiKey(
  sql: Sql,
  { accountId, id, keyHash, overlapSeconds }: { accountId: number; id: number; keyHash: Buffer; overlapSeconds: number }
): Promise<{ previousValidUntil: Date | null }> {
  await sql`
    delete from api_keys
    where account_id = ${accountId}
      and replaced_by = ${id}
  `
  const [old] = await sql<[{ keyHash: Buffer }]>`
    select key_hash
    from api_keys
    where account_id = ${accountId}
      and id = ${id}
    for no key update
  `
  await sql`
    update api_keys
    set key_hash = ${keyHash}, last_used_at = null
    where account_id = ${accountId}
      and id = ${id}
  `
  await notifyAccountChanged(sql, accountId)
  if (overlapSeconds === 0) return { previousValidUntil: null }
  const [previous] = await sql<[{ expiresAt: Date }]>`
    insert into api_keys (id, account_id, name, key_hash, scopes, addresses, expires_at, replaced_by)
    select nextval('api_key_ids'), account_id, name, ${old.keyHash}, scopes, addresses,
      least(expires_at, now() + make_interval(secs => ${overlapSeconds})), id
    from api_keys
    where account_id = ${accountId}
      and id = ${id}
    returning expires_at
  `
  return { previousValidUntil: previous.expiresAt }
}

/** Removes keys that were replaced and are over. */
export async function deleteReplacedKeys(sql: Sql): Promise<void> {
  await sql`
    delete from api_keys
    where replaced_by is not null
      and expires_at < now()
  `
}

export async function findAppId(sql: Sql, accountId: number): Promise<string> {
  const [row] = await sql<[{ appId: string }]>`
    select app_id
    from accounts
    where id = ${accountId}
  `
  return row.appId
}

/** Replaces the hash of the account's first key; the old key ends with the commit, and so does one of an earlier rotation. */
export async function updateFirstKey(
  sql: Sql,
  { accountId, keyHash }: { accountId: number; keyHash: Buffer }
): Promise<{ appId: string }> {
  const [row] = await sql<[{ id: number; appId: string }]>`
    update api_keys
    set key_hash = ${keyHash}
    from accounts
    where api_keys.account_id = ${accountId}
      and is_first
      and accounts.id = ${accountId}
    returning api_keys.id, app_id
  `
  await sql`
    delete from api_keys
    where account_id = ${accountId}
      and replaced_by = ${row.id}
  `
  await notifyAccountChanged(sql, accountId)
  return row
}

/** Notes which keys were used since the last time. */
export async function updateLastUsed(sql: Sql, ids: number[]): Promise<void> {
  await sql`
    update api_keys
    set last_used_at = now()
    where id = any(${ids}::bigint[])
  `
}

/** Ends all keys of these accounts. */
export async function deleteApiKeysOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from api_keys
    where account_id = any(${accountIds as number[]}::bigint[])
  `
}

function keyColumns(sql: Sql) {
  return sql`id, name, is_first, scopes, addresses, created_at, expires_at, credits_per_day, last_used_at, replaced_by`
}
