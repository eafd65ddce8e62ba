import type { Sql } from '../database/database.ts'
import type { MessageKey } from './messages.store.ts'

/*
 * The fields that a campaign was sent with, as they were written: variables and places are not filled in. Numbers are not
 * among them: recipients have those.
 */

/** Where the recipients came from; an RCS has contacts, lists or both. */
export type FormKind = 'numbers' | 'dynamic' | 'lists' | 'file' | 'rcs'

export interface MessageForm {
  kind: FormKind
  fields: Record<string, unknown>
}

export type NewMessageForm = MessageForm & { accountId: number; messageId: number }

export async function insertForms(sql: Sql, forms: readonly NewMessageForm[]): Promise<void> {
  if (forms.length === 0) return
  await sql`
    insert into message_forms (account_id, message_id, kind, fields)
    select account_id, message_id, kind, fields::jsonb
    from unnest(
      ${forms.map(({ accountId }) => accountId)}::bigint[],
      ${forms.map(({ messageId }) => messageId)}::bigint[],
      ${forms.map(({ kind }) => kind)}::text[],
      ${forms.map(({ fields }) => JSON.stringify(fields))}::text[]
    ) as given (account_id, message_id, kind, fields)
  `
}

export async function findForm(sql: Sql, { accountId, id }: MessageKey): Promise<MessageForm | undefined> {
  const [row] = await sql<MessageForm[]>`
    select kind, fields
    from message_forms
    where account_id = ${accountId}
      and message_id = ${id}
  `
  return row
}
