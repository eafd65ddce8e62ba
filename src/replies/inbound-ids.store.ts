import type { Sql } from '../database/database.ts'

/** Remembers the id that a carrier gave a reply. False when it is known: the reply came before. */
export async function insertInboundId(sql: Sql, { carrier, id }: { carrier: string; id: string }): Promise<boolean> {
  const { count } = await sql`
    insert into inbound_ids (carrier, id_hash)
    values (${carrier}, sha256(${id}::text::bytea))
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
