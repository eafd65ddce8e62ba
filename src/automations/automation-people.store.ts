import type { Sql } from '../database/database.ts'
import type { AutomationKey } from './automations.store.ts'

/** The phones, of the given ones, that the automation has written to. */
export async function listReached(
  sql: Sql,
  { accountId, id }: AutomationKey,
  phones: readonly string[]
): Promise<Set<string>> {
  const rows = await sql<{ phone: string }[]>`
    select phone
    from automation_people
    where account_id = ${accountId}
      and automation_id = ${id}
      and phone = any(${phones as string[]}::text[])
  `
  return new Set(rows.map(({ phone }) => phone))
}

/** Notes the recipients of a message. */
export async function insertReached(sql: Sql, { accountId, id }: AutomationKey, messageId: number): Promise<void> {
  await sql`
    insert into automation_people (account_id, automation_id, phone)
    select account_id, ${id}, phone
    from recipients
    where account_id = ${accountId}
      and message_id = ${messageId}
    on conflict do nothing
  `
}

/** For the erasure of a number. */
export async function deleteReached(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  await sql`
    delete from automation_people
    where account_id = ${accountId}
      and automation_id in (select id from automations where account_id = ${accountId})
      and phone = ${phone}
  `
}
