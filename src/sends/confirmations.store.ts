import type { Sql } from '../database/database.ts'

export interface ConfirmationKey {
  accountId: number
  tokenHash: Buffer
}

export interface NewConfirmation extends ConfirmationKey {
  keyId: number
  requestHash: Buffer
  outcomeHash: Buffer
  validSeconds: number
}

export async function insertConfirmation(sql: Sql, given: NewConfirmation): Promise<{ expiresAt: Date }> {
  const [row] = await sql<[{ expiresAt: Date }]>`
    insert into confirmations (account_id, token_hash, key_id, request_hash, outcome_hash, expires_at)
    values (
      ${given.accountId}, ${given.tokenHash}, ${given.keyId}, ${given.requestHash}, ${given.outcomeHash},
      now() + make_interval(secs => ${given.validSeconds})
    )
    returning expires_at
  `
  return row
}

export interface Confirmation {
  keyId: number
  requestHash: Buffer
  outcomeHash: Buffer
  isUsed: boolean
  isExpired: boolean
}

/** Locks it: of two sends with one token, the second waits for the first. */
export async function lockConfirmation(
  sql: Sql,
  { accountId, tokenHash }: ConfirmationKey
): Promise<Confirmation | undefined> {
  const [row] = await sql<Confirmation[]>`
    select key_id, request_hash, outcome_hash, used_at is not null as is_used, expires_at <= now() as is_expired
    from confirmations
    where account_id = ${accountId}
      and token_hash = ${tokenHash}
    for update
  `
  return row
}

export async function updateUsed(
  sql: Sql,
  { accountId, tokenHash, credits }: ConfirmationKey & { credits: number }
): Promise<void> {
  await sql`
    update confirmations
    set used_at = now(), credits = ${credits}
    where account_id = ${accountId}
      and token_hash = ${tokenHash}
  `
}

/**
 * The credits of a key's confirmed sends within 24 hours, and the seconds until the first of them counts no more. No day of
 * the calendar: whoever may change the account's time zone could begin another.
 */
export async function findUsedWithinDay(
  sql: Sql,
  { accountId, keyId }: { accountId: number; keyId: number }
): Promise<{ credits: number; secondsLeft: number }> {
  const [row] = await sql<[{ credits: number; secondsLeft: number }]>`
    select coalesce(sum(credits), 0)::bigint as credits,
      coalesce(ceil(extract(epoch from min(used_at) + interval '1 day' - now())), 0)::integer as seconds_left
    from confirmations
    where account_id = ${accountId}
      and key_id = ${keyId}
      and used_at > now() - interval '1 day'
  `
  return row
}

/** Used ones stay for longer than a day: their credits are counted. */
export async function deleteOldConfirmations(sql: Sql): Promise<void> {
  await sql`
    delete from confirmations
    where expires_at < now()
      and (used_at is null or used_at < now() - interval '2 days')
  `
}
