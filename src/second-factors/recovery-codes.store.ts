import type { Sql } from '../database/database.ts'

export async function replaceRecoveryCodes(
  sql: Sql,
  { personId, hashes }: { personId: number; hashes: Buffer[] }
): Promise<void> {
  await deleteRecoveryCodes(sql, personId)
  await sql`
    insert into recovery_codes (person_id, code_hash)
    select ${personId}, code_hash
    from unnest(${hashes}::bytea[]) as code_hash
  `
}

/** Of two that use one code at once, one deletes it. */
export async function deleteRecoveryCode(
  sql: Sql,
  { personId, hash }: { personId: number; hash: Buffer }
): Promise<boolean> {
  const { count } = await sql`
    delete from recovery_codes
    where person_id = ${personId}
      and code_hash = ${hash}
  `
  return count > 0
}

export async function deleteRecoveryCodes(sql: Sql, personId: number): Promise<void> {
  await sql`
    delete from recovery_codes
    where person_id = ${personId}
  `
}
