import type { Sql } from '../database/database.ts'
import { hashOf, insertErasureKey } from '../erased-numbers/erasure-keys.store.ts'

/*
 * Opt-outs of erased numbers, as hashes. The number is gone, and a send to it still finds the opt-out: `listStopped` in
 * stops.store.ts looks here too.
 */

interface StopKey {
  accountId: number
  phone: string
}

/** Replaces an opt-out, if there is one, by its hash. */
export async function eraseStop(sql: Sql, { accountId, phone }: StopKey): Promise<number> {
  const { count } = await sql`
    delete from stops
    where account_id = ${accountId}
      and phone = ${phone}
  `
  if (count === 0) return 0
  await insertErasureKey(sql, accountId)
  await sql`
    insert into erased_stops (account_id, phone_hash)
    select account_id, ${hashOf(sql, sql`${phone}`)}
    from erasure_keys
    where account_id = ${accountId}
    on conflict do nothing
  `
  return count
}

/** Forgets the hash of a number that may be written to again. */
export async function deleteErasedStop(sql: Sql, { accountId, phone }: StopKey): Promise<void> {
  await sql`
    delete from erased_stops
    using erasure_keys
    where erased_stops.account_id = ${accountId}
      and erasure_keys.account_id = ${accountId}
      and phone_hash = ${hashOf(sql, sql`${phone}`)}
  `
}
