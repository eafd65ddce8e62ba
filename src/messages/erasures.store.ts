import type { Sql } from '../database/database.ts'

/** Erases the content of messages. For messages whose only recipient is erased. */
export async function eraseContents(
  sql: Sql,
  { accountId, ids }: { accountId: number; ids: readonly number[] }
): Promise<void> {
  await sql`
    update messages
    set content = '',
        name = null,
        tags = null,
        shorturl_url = case when shorturl_url is null then null else '' end,
        options = case
          when options ? 'binary' then jsonb_set(options, '{binary}', '{"data": "", "udh": ""}')
          else options
        end
    where account_id = ${accountId}
      and id = any(${ids as number[]}::bigint[])
  `
  await sql`
    delete from message_forms
    where account_id = ${accountId}
      and message_id = any(${ids as number[]}::bigint[])
  `
  await sql`
    update rcs_messages
    set type = 'text',
        data = '{"text": ""}',
        fallback_content = case when fallback_content is null then null else '' end,
        variables = '{}'
    where account_id = ${accountId}
      and message_id = any(${ids as number[]}::bigint[])
  `
}
