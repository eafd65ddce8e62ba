import type { Sql } from '../database/database.ts'
import type { SmsTemplate } from './template.ts'

interface TemplateKey {
  accountId: number
  id: number
}

export async function insertSmsTemplate(
  sql: Sql,
  { accountId, name, content, sender }: { accountId: number; name: string; content: string; sender: string }
): Promise<SmsTemplate> {
  const [row] = await sql<[SmsTemplate]>`
    insert into templates (account_id, id, kind, name, content, sender)
    values (${accountId}, nextval('template_ids'), 'sms', ${name}, ${content}, ${sender})
    returning id, name, content, sender
  `
  return row
}

/** Newest first. */
export async function listSmsTemplates(sql: Sql, { accountId }: { accountId: number }): Promise<SmsTemplate[]> {
  return sql<SmsTemplate[]>`
    select id, name, content, sender
    from templates
    where account_id = ${accountId}
      and kind = 'sms'
    order by id desc
  `
}

export async function findSmsTemplate(sql: Sql, { accountId, id }: TemplateKey): Promise<SmsTemplate | undefined> {
  const [row] = await sql<SmsTemplate[]>`
    select id, name, content, sender
    from templates
    where account_id = ${accountId}
      and id = ${id}
      and kind = 'sms'
  `
  return row
}

/** What is not given stays as it was. */
export async function updateSmsTemplate(
  sql: Sql,
  { accountId, id, changes }: TemplateKey & { changes: { name?: string; content?: string; sender?: string } }
): Promise<SmsTemplate | undefined> {
  const [row] = await sql<SmsTemplate[]>`
    update templates
    set name = coalesce(${changes.name ?? null}, name),
      content = coalesce(${changes.content ?? null}, content),
      sender = coalesce(${changes.sender ?? null}, sender),
      updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and kind = 'sms'
    returning id, name, content, sender
  `
  return row
}

/** Removes a template of either kind. */
export async function deleteTemplate(sql: Sql, { accountId, id }: TemplateKey): Promise<boolean> {
  const { count } = await sql`
    delete from templates
    where account_id = ${accountId}
      and id = ${id}
  `
  return count > 0
}
