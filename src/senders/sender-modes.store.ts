import type { SenderMode } from '../compliance/sender-register.ts'
import type { Sql } from '../database/database.ts'
import type { AccountModes } from './register.store.ts'

export async function findSenderModes(sql: Sql, accountId: number): Promise<AccountModes> {
  const [row] = await sql<AccountModes[]>`
    select account_id, by_operator, by_parent
    from sender_modes
    where account_id = ${accountId}
  `
  return row ?? { accountId, byOperator: null, byParent: null }
}

export async function upsertModeByOperator(sql: Sql, accountId: number, mode: SenderMode | null): Promise<void> {
  await sql`
    insert into sender_modes (account_id, by_operator)
    values (${accountId}, ${mode})
    on conflict (account_id) do update
    set by_operator = excluded.by_operator
  `
}

export async function upsertModeByParent(sql: Sql, accountId: number, mode: SenderMode | null): Promise<void> {
  await sql`
    insert into sender_modes (account_id, by_parent)
    values (${accountId}, ${mode})
    on conflict (account_id) do update
    set by_parent = excluded.by_parent
  `
}

/** So that a register without modes of accounts costs nothing. */
export async function deleteEmptyModes(sql: Sql, accountId: number): Promise<void> {
  await sql`
    delete from sender_modes
    where account_id = ${accountId}
      and by_operator is null
      and by_parent is null
  `
}
