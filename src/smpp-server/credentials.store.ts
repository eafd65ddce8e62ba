import type { Sql } from '../database/database.ts'

/** A row of `smpp_credentials`, its password aside. */
export interface SmppCredential {
  id: number
  systemId: string
  name: string
  addresses: string[]
  bindsMax: number
  windowMax: number
  throughput: number | null
  category: 'transactional' | 'marketing'
  isBinaryAllowed: boolean
  isActive: boolean
  createdAt: Date
  lastBoundAt: Date | null
  /** How many binds it has now, over all processes. */
  bound: number
}

export type CredentialFields = Pick<
  SmppCredential,
  'name' | 'addresses' | 'bindsMax' | 'windowMax' | 'throughput' | 'category' | 'isBinaryAllowed' | 'isActive'
>

export type NewCredential = CredentialFields & { accountId: number; systemId: string; passwordHash: string }

/** The violated constraint when the system_id belongs to another credential. */
export const SYSTEM_ID_TAKEN = 'smpp_credentials_system_id_unique'

export async function insertCredential(sql: Sql, credential: NewCredential): Promise<{ id: number }> {
  const [row] = await sql<[{ id: number }]>`
    insert into smpp_credentials (
      id, account_id, system_id, name, password_hash, addresses, binds_max, window_max, throughput, category,
      is_binary_allowed, is_active
    )
    values (
      nextval('smpp_credential_ids'), ${credential.accountId}, ${credential.systemId}, ${credential.name},
      ${credential.passwordHash}, ${credential.addresses}::text[], ${credential.bindsMax}, ${credential.windowMax},
      ${credential.throughput}, ${credential.category}, ${credential.isBinaryAllowed}, ${credential.isActive}
    )
    returning id
  `
  return row
}

/** Newest first. */
export async function listCredentials(sql: Sql, accountId: number): Promise<SmppCredential[]> {
  return sql<SmppCredential[]>`
    select ${credentialColumns(sql)}
    from smpp_credentials
    where account_id = ${accountId}
    order by id desc
  `
}

export async function findCredential(
  sql: Sql,
  { accountId, id }: { accountId: number; id: number }
): Promise<SmppCredential | undefined> {
  const [row] = await sql<SmppCredential[]>`
    select ${credentialColumns(sql)}
    from smpp_credentials
    where account_id = ${accountId}
      and id = ${id}
  `
  return row
}

export async function countCredentials(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from smpp_credentials
    where account_id = ${accountId}
  `
  return row.count
}

export async function updateCredential(
  sql: Sql,
  { accountId, id, ...fields }: CredentialFields & { accountId: number; id: number }
): Promise<void> {
  await sql`
    update smpp_credentials
    set name = ${fields.name}, addresses = ${fields.addresses}::text[], binds_max = ${fields.bindsMax},
        window_max = ${fields.windowMax}, throughput = ${fields.throughput}, category = ${fields.category},
        is_binary_allowed = ${fields.isBinaryAllowed}, is_active = ${fields.isActive}
    where account_id = ${accountId}
      and id = ${id}
  `
}

export async function updateCredentialPassword(
  sql: Sql,
  { accountId, id, passwordHash }: { accountId: number; id: number; passwordHash: string }
): Promise<void> {
  await sql`
    update smpp_credentials
    set password_hash = ${passwordHash}
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Its binds end with it. */
export async function deleteCredential(sql: Sql, { accountId, id }: { accountId: number; id: number }): Promise<void> {
  await sql`
    delete from smpp_credentials
    where account_id = ${accountId}
      and id = ${id}
  `
}

/** Ends all credentials of an account. */
export async function deleteCredentialsOf(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from smpp_credentials
    where account_id = ${accountId}
  `
}

/** A credential as a bind needs it, of any account. */
export interface BindCredential extends Omit<SmppCredential, 'bound' | 'createdAt' | 'lastBoundAt'> {
  accountId: number
  passwordHash: string
}

/** For the bind of a client that has proved nothing yet. */
export async function findCredentialBySystemId(sql: Sql, systemId: string): Promise<BindCredential | undefined> {
  const [row] = await sql<BindCredential[]>`
    select ${bindColumns(sql)}
    from smpp_credentials
    where system_id = ${systemId}
  `
  return row
}

/** Locks the credential until the end of the transaction: binds are counted one after the other. */
export async function lockCredential(sql: Sql, id: number): Promise<BindCredential | undefined> {
  const [row] = await sql<BindCredential[]>`
    update smpp_credentials
    set last_bound_at = now()
    where id = ${id}
    returning ${bindColumns(sql)}
  `
  return row
}

/** The credentials of binds, as they are now, of any account. */
export async function listCredentialsOfBinds(sql: Sql, ids: readonly number[]): Promise<BindCredential[]> {
  return sql<BindCredential[]>`
    select ${bindColumns(sql)}
    from smpp_credentials
    where id = any(${ids as number[]}::bigint[])
  `
}

/**
 * Draws submits for a process, up to as many as it wants, from the throughput that all processes share. What is not drawn
 * is saved up for a second. Also returns after how long there will be another one, if there is none now.
 */
export async function drawSubmits(
  sql: Sql,
  { id, wanted }: { id: number; wanted: number }
): Promise<{ drawn: number; waitMs: number }> {
  const [row] = await sql<{ drawn: number; waitMs: number }[]>`
    with locked as materialized (
      select id, throughput, drawn_until
      from smpp_credentials
      where id = ${id}
      for no key update
    ),
    -- The clock is read once, and after the lock is there.
    timed as materialized (
      select id, throughput, drawn_until, clock_timestamp() as now
      from locked
    ),
    free as (
      select id, throughput, now, greatest(drawn_until, now - interval '1 second') as since
      from timed
    ),
    counted as (
      select id, throughput, since,
        -- No limit of its own any more: the process reads the same soon.
        case when throughput is null then ${wanted}
          else greatest(0, least(${wanted}, floor(extract(epoch from now - since) * throughput)))::int
        end as drawn,
        ceil(extract(epoch from since - now) * 1000 + 1000.0 / coalesce(throughput, 1))::int as wait_ms
      from free
    )
    update smpp_credentials
    set drawn_until = since + make_interval(secs => drawn::float8 / coalesce(counted.throughput, 1))
    from counted
    where smpp_credentials.id = counted.id
    returning drawn, wait_ms
  `
  // The credentials were deleted: their binds end within the second.
  return row ?? { drawn: 0, waitMs: 1_000 }
}

function bindColumns(sql: Sql) {
  return sql`
    id, account_id, system_id, name, password_hash, addresses, binds_max, window_max, throughput, category,
    is_binary_allowed, is_active
  `
}

function credentialColumns(sql: Sql) {
  return sql`
    id, system_id, name, addresses, binds_max, window_max, throughput, category, is_binary_allowed, is_active, created_at, last_bound_at,
    (
      select count(*)
      from smpp_binds
      where credential_id = smpp_credentials.id
        and leased_until > now()
    ) as bound
  `
}

/** A live bind, for the operator. */
export interface ListedBind {
  id: string
  accountId: number
  systemId: string
  mode: string
  address: string
  isEncrypted: boolean
  interfaceVersion: number
  boundAt: Date
  waiting: number
}

/** Live binds of all accounts, or of one, the newest first. */
export async function listBinds(
  sql: Sql,
  { accountId, limit }: { accountId: number | undefined; limit: number }
): Promise<ListedBind[]> {
  return sql<ListedBind[]>`
    select smpp_binds.id, smpp_binds.account_id, system_id, mode, address, is_encrypted, interface_version, bound_at,
      (
        select count(*)
        from smpp_deliveries
        where smpp_deliveries.account_id = smpp_binds.account_id
          and claimed_by = smpp_binds.id
      ) as waiting
    from smpp_binds
    join smpp_credentials on smpp_credentials.id = credential_id
    where leased_until > now()
      ${accountId === undefined ? sql`` : sql`and smpp_binds.account_id = ${accountId}`}
    order by bound_at desc, smpp_binds.id
    limit ${limit}
  `
}
