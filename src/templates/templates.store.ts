import type { Sql } from '../database/database.ts'
import type { RcsTemplate } from './rcs-template.ts'
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

/** A field that is not given stays as it was. */
export async function updateSmsTemplate(
  sql: Sql,
  { accountId, id, changes }: TemplateKey & { changes: { name?: string; content?: string; sender?: string } }
): Promise<{ template: SmsTemplate; before: SmsTemplate } | undefined> {
  const [row] = await sql<{ template: SmsTemplate; before: SmsTemplate }[]>`
    with before as (
      select id, name, content, sender
      from templates
      where account_id = ${accountId}
        and id = ${id}
        and kind = 'sms'
      for no key update
    )
    update templates
    set name = coalesce(${changes.name ?? null}, before.name),
      content = coalesce(${changes.content ?? null}, before.content),
      sender = coalesce(${changes.sender ?? null}, before.sender),
      updated_at = now()
    from before
    where account_id = ${accountId}
      and templates.id = before.id
    returning to_json(before) as before,
      json_build_object(
        'id', templates.id, 'name', templates.name, 'content', templates.content, 'sender', templates.sender
      ) as template
  `
  return row
}

interface RcsRow extends Omit<RcsTemplate, 'shorturl'> {
  shorturlMode: 'unique' | 'common' | null
  shorturlUrl: string
}

function toRcsTemplate({ shorturlMode, shorturlUrl, ...template }: RcsRow): RcsTemplate {
  return { ...template, shorturl: shorturlMode && { mode: shorturlMode, url: shorturlUrl } } as RcsTemplate
}

export async function insertRcsTemplate(
  sql: Sql,
  { accountId, template }: { accountId: number; template: Omit<RcsTemplate, 'id'> }
): Promise<RcsTemplate> {
  const { name, type, data, fallbackContent, fallbackSender, shorturl } = template
  const [row] = await sql<[RcsRow]>`
    insert into templates (
      account_id, id, kind, name, rcs_type, data, fallback_content, fallback_sender, shorturl_mode, shorturl_url
    )
    values (
      ${accountId}, nextval('template_ids'), 'rcs', ${name}, ${type}, ${JSON.stringify(data)}::text::jsonb,
      ${fallbackContent}, ${fallbackSender}, ${shorturl?.mode ?? null}, ${shorturl?.url ?? null}
    )
    returning id, name, rcs_type as type, data, fallback_content, fallback_sender, shorturl_mode, shorturl_url
  `
  return toRcsTemplate(row)
}

/** Newest first. */
export async function listRcsTemplates(sql: Sql, { accountId }: { accountId: number }): Promise<RcsTemplate[]> {
  const rows = await sql<RcsRow[]>`
    select id, name, rcs_type as type, data, fallback_content, fallback_sender, shorturl_mode, shorturl_url
    from templates
    where account_id = ${accountId}
      and kind = 'rcs'
    order by id desc
  `
  return rows.map(toRcsTemplate)
}

export async function findRcsTemplate(sql: Sql, { accountId, id }: TemplateKey): Promise<RcsTemplate | undefined> {
  const [row] = await sql<RcsRow[]>`
    select id, name, rcs_type as type, data, fallback_content, fallback_sender, shorturl_mode, shorturl_url
    from templates
    where account_id = ${accountId}
      and id = ${id}
      and kind = 'rcs'
  `
  return row && toRcsTemplate(row)
}

/** Locks the template until the transaction ends. */
export async function lockRcsTemplate(sql: Sql, { accountId, id }: TemplateKey): Promise<RcsTemplate | undefined> {
  const [row] = await sql<RcsRow[]>`
    select id, name, rcs_type as type, data, fallback_content, fallback_sender, shorturl_mode, shorturl_url
    from templates
    where account_id = ${accountId}
      and id = ${id}
      and kind = 'rcs'
    for no key update
  `
  return row && toRcsTemplate(row)
}

export async function updateRcsTemplate(
  sql: Sql,
  { accountId, template }: { accountId: number; template: RcsTemplate }
): Promise<void> {
  const { id, name, type, data, fallbackContent, fallbackSender, shorturl } = template
  await sql`
    update templates
    set name = ${name},
      rcs_type = ${type},
      data = ${JSON.stringify(data)}::text::jsonb,
      fallback_content = ${fallbackContent},
      fallback_sender = ${fallbackSender},
      shorturl_mode = ${shorturl?.mode ?? null},
      shorturl_url = ${shorturl?.url ?? null},
      updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
      and kind = 'rcs'
  `
}

/** Removes all templates of these accounts. */
export async function deleteTemplatesOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  await sql`
    delete from templates
    where account_id = any(${accountIds as number[]}::bigint[])
  `
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
