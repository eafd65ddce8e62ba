import type { Sql } from '../database/database.ts'
import type { ActChanges } from '../http/act.ts'

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
  isSend: boolean
}

export async function insertEntries(sql: Sql, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return
  await sql`
    insert into audit_entries (
      account_id, on_account_id, person_id, key_id, viewed_from, address, operation, object_kind, object_id, changes,
      is_refused, is_send
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
      ${entries.map(({ isRefused }) => isRefused)}::boolean[],
      ${entries.map(({ isSend }) => isSend)}::boolean[]
    )
  `
}
