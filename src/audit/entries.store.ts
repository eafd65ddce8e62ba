import type { Sql } from '../database/database.ts'
import type { ActChanges, Author } from '../http/act.ts'

export interface NewEntry {
  operation: string
  /** The account of whoever acts. */
  accountId: number
  /** The account that is acted on. */
  onAccountId: number
  personId: number | null
  keyId: number | null
  viewedFrom: number | null
  address: string
  objectKind: string | null
  objectId: string | null
  changes: ActChanges | null
  isRefused: boolean
}

export async function insertEntries(sql: Sql, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return
  await sql`
    insert into audit_entries (
      account_id, on_account_id, person_id, key_id, viewed_from, address, operation, object_kind, object_id, changes,
      is_refused
    )
    select *
    from unnest(
      ${entries.map(({ accountId }) => accountId)}::bigint[],
      ${entries.map(({ onAccountId }) => onAccountId)}::bigint[],
      ${entries.map(({ personId }) => personId)}::bigint[],
      ${entries.map(({ keyId }) => keyId)}::bigint[],
      ${entries.map(({ viewedFrom }) => viewedFrom)}::bigint[],
      ${entries.map(({ address }) => address)}::text[],
      ${entries.map(({ operation }) => operation)}::text[],
      ${entries.map(({ objectKind }) => objectKind)}::text[],
      ${entries.map(({ objectId }) => objectId)}::text[],
      ${entries.map(({ changes }) => changes && JSON.stringify(changes))}::json[],
      ${entries.map(({ isRefused }) => isRefused)}::boolean[]
    )
  `
}

/** An accepted message, and who sent it. */
export interface NewSendEntry {
  accountId: number
  author: Author
  messageId: number
}

/** Sends have a statement of their own: they are most of the trail, and half of its columns are the same for all. */
export async function insertSendEntries(sql: Sql, sends: readonly NewSendEntry[]): Promise<void> {
  const [first] = sends
  if (!first) return
  if (sends.every((send) => isBySame(send, first))) return insertSendsBySame(sql, sends, first)
  await sql`
    insert into audit_entries (
      account_id, on_account_id, person_id, key_id, address, operation, object_kind, object_id, is_send
    )
    select account_id, account_id, person_id, key_id, address, operation, 'message', message_id, true
    from unnest(
      ${sends.map(({ accountId }) => accountId)}::bigint[],
      ${sends.map(({ author }) => author.personId)}::bigint[],
      ${sends.map(({ author }) => author.keyId)}::bigint[],
      ${sends.map(({ author }) => author.address)}::text[],
      ${sends.map(({ author }) => author.operation)}::text[],
      ${sends.map(({ messageId }) => messageId)}::text[]
    ) as given (account_id, person_id, key_id, address, operation, message_id)
  `
}

function isBySame(a: NewSendEntry, b: NewSendEntry): boolean {
  return (
    a.accountId === b.accountId &&
    a.author.personId === b.author.personId &&
    a.author.keyId === b.author.keyId &&
    a.author.address === b.author.address &&
    a.author.operation === b.author.operation
  )
}

/** Sends that arrive together often have one author: only their messages differ. */
async function insertSendsBySame(
  sql: Sql,
  sends: readonly NewSendEntry[],
  { accountId, author }: NewSendEntry
): Promise<void> {
  await sql`
    insert into audit_entries (
      account_id, on_account_id, person_id, key_id, address, operation, object_kind, object_id, is_send
    )
    select ${accountId}::bigint, ${accountId}::bigint, ${author.personId}::bigint, ${author.keyId}::bigint,
      ${author.address}::text, ${author.operation}::text, 'message', message_id, true
    from unnest(${sends.map(({ messageId }) => messageId)}::text[]) as given (message_id)
  `
}
