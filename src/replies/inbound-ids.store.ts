import { createHash } from 'node:crypto'
import type { Sql } from '../database/database.ts'

/** Remembers the id that a carrier gave a reply. False when it is known: the reply came before. */
export async function insertInboundId(sql: Sql, { carrier, id }: { carrier: string; id: string }): Promise<boolean> {
  // Hashed here: PostgreSQL would read a backslash in the id as an escape, and refuses a NUL.
  const idHash = createHash('sha256').update(id).digest()
  const { count } = await sql`
    insert into inbound_ids (carrier, id_hash)
    values (${carrier}, ${idHash})
    on conflict do nothing
  `
  return count === 1
}

/** Of any account: for workers. */
export async function deleteOldInboundIds(sql: Sql, { days }: { days: number }): Promise<void> {
  await sql`
    delete from inbound_ids
    where received_at < now() - make_interval(days => ${days})
  `
}
