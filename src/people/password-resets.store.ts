import type { Sql } from '../database/database.ts'

/** Without a token, which then comes with the mail. */
export async function insertReset(
  sql: Sql,
  { personId, tokenHash, expiresAt }: { personId: number; tokenHash?: Buffer; expiresAt: Date }
): Promise<{ id: number }> {
  const [row] = await sql<[{ id: number }]>`
    insert into password_resets (id, person_id, token_hashes, expires_at)
    values (
      nextval('password_reset_ids'), ${personId},
      ${tokenHash ? sql`array[${tokenHash}::bytea]` : sql`'{}'`}, ${expiresAt}
    )
    returning id
  `
  return row
}

/** Adds the token of another copy of the mail; false if the link is of no use any more. */
export async function addResetToken(
  sql: Sql,
  { id, tokenHash, copiesMax }: { id: number; tokenHash: Buffer; copiesMax: number }
): Promise<boolean> {
  const { count } = await sql`
    update password_resets
    set token_hashes = (token_hashes || ${tokenHash}::bytea)[greatest(1, cardinality(token_hashes) + 2 - ${copiesMax}::int):]
    where id = ${id}
      and expires_at > now()
  `
  return count > 0
}

/** Undefined if the link was used or is too old. */
export async function findReset(sql: Sql, tokenHash: Buffer): Promise<{ personId: number } | undefined> {
  const [row] = await sql<{ personId: number }[]>`
    select person_id
    from password_resets
    where token_hashes @> array[${tokenHash}::bytea]
      and expires_at > now()
  `
  return row
}

/** Uses a link. Of two who use it at once, one is told that it is used. */
export async function takeReset(
  sql: Sql,
  { personId, tokenHash }: { personId: number; tokenHash: Buffer }
): Promise<boolean> {
  const { count } = await sql`
    delete from password_resets
    where token_hashes @> array[${tokenHash}::bytea]
      and person_id = ${personId}
      and expires_at > now()
  `
  return count > 0
}

export async function deleteResetsOf(sql: Sql, personId: number): Promise<void> {
  await sql`
    delete from password_resets
    where person_id = ${personId}
  `
}

export async function deleteExpiredResets(sql: Sql): Promise<void> {
  await sql`
    delete from password_resets
    where expires_at < now()
  `
}
