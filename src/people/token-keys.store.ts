import type { Sql } from '../database/database.ts'

/** Publishes the public half of a process's signing key. */
export async function insertTokenKey(sql: Sql, { id, publicKey }: { id: string; publicKey: string }): Promise<void> {
  await sql`
    insert into token_keys (id, public_key)
    values (${id}, ${publicKey})
    on conflict (id) do nothing
  `
}

export async function findTokenKey(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ publicKey: string }[]>`
    select public_key
    from token_keys
    where id = ${id}
  `
  return row?.publicKey
}
