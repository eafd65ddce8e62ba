import type { Sql } from '../database/database.ts'

/* What stays of an erased number is a hash under a key of its account. The same number has another hash at the next account. */

/** Makes the key of an account, if it has none. */
export async function insertErasureKey(sql: Sql, accountId: number): Promise<void> {
  await sql`
    insert into erasure_keys (account_id, key)
    values (${accountId}, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    on conflict do nothing
  `
}

/** The hash of a number under the key of its account, which must be in the same query. */
export function hashOf(sql: Sql, phone: ReturnType<Sql>) {
  return sql`sha256(erasure_keys.key || convert_to(${phone}, 'UTF8'))`
}
