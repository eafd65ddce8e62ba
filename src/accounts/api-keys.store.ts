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
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<{ id: number }> {
  const [row] = await sql<[{ id: number }]>`
    insert into api_keys (id, account_id, name, key_hash, is_first, scopes, addresses, expires_at)
    values (
      nextval('api_key_ids'), ${key.accountId}, ${key.name}, ${key.keyHash}, ${key.isFirst},
      ${key.scopes as string[]}::text[], ${key.addresses as string[]}::text[], ${key.expiresAt}
    )
    returning id
  `
  return row
}

/** Replaces the hash of the account's first key; the old key ends with the commit. */
export async function updateFirstKey(
  sql: Sql,
  { accountId, keyHash }: { accountId: number; keyHash: Buffer }
): Promise<{ appId: string }> {
  const [row] = await sql<[{ appId: string }]>`
    update api_keys
    set key_hash = ${keyHash}
    from accounts
    where api_keys.account_id = ${accountId}
      and is_first
      and accounts.id = ${accountId}
    returning app_id
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
