import type { Sql } from '../database/database.ts'

/** Ends the memberships of closed accounts, and returns the people who had them. */
export async function deleteOldMemberships(sql: Sql, accountIds: readonly number[]): Promise<number[]> {
  const rows = await sql<{ personId: number }[]>`
    delete from memberships
    where account_id = any(${accountIds as number[]}::bigint[])
    returning person_id
  `
  return [...new Set(rows.map(({ personId }) => personId))]
}

/** Removes what names a person from those without any membership, and returns these. The row stays: closed accounts refer to it. */
export async function eraseLeftPeople(sql: Sql, personIds: readonly number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    update people
    set email = 'erased-' || id || '@invalid', password_hash = null, first_name = '', last_name = '', phone_number = '',
        token_version = token_version + 1
    where id = any(${personIds as number[]}::bigint[])
      and not exists (select from memberships where memberships.person_id = people.id)
    returning id
  `
  return rows.map(({ id }) => id)
}
