import type { Sql } from '../database/database.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { MessageTypeId } from './credit.ts'
import type { Reason } from './entries.store.ts'

export interface EntryRow {
  messageType: MessageTypeId
  position: number
  reason: Reason
  reference: string | null
  available: number
  reserved: number
  spent: number
  availableAfter: number
  counterpartyId: number | null
  spenderId: number | null
  note: string | null
  madeBy: string | null
  createdAt: Date
}

export interface EntryCount {
  messageType: MessageTypeId
  entryCount: number
}

/** The number of entries of each message type, or of the given one. */
export async function listEntryCounts(
  sql: Sql,
  { accountId, messageType }: { accountId: number; messageType: MessageTypeId | undefined }
): Promise<EntryCount[]> {
  return sql<EntryCount[]>`
    select message_type, entry_count
    from credit_balances
    where account_id = ${accountId}
      ${messageType === undefined ? sql`` : sql`and message_type = ${messageType}`}
  `
}

/**
 * The time of an entry is the beginning of its transaction. Among transactions that run at once, a later position may have an
 * earlier time.
 */
const OUT_OF_ORDER_MAX = 1_000

/**
 * Newest first. Positions have no gaps, so that a page of one message type is a range of positions. Entries of several types are
 * ordered by time, and a page reads the entries between it and the nearer end.
 */
export async function listEntriesOfPage(
  sql: Sql,
  { accountId, counts, window }: { accountId: number; counts: readonly EntryCount[]; window: PageWindow }
): Promise<EntryRow[]> {
  const { isFromEnd, offset, limit } = window
  const isMixed = counts.length > 1
  const [skipped, reach] = isMixed ? [0, offset + limit + OUT_OF_ORDER_MAX] : [offset, offset + limit]
  const direction = isFromEnd ? sql`asc` : sql`desc`
  const rows = await sql<EntryRow[]>`
    select message_type, position, reason, reference, available, reserved, spent, available_after, counterparty_id, spender_id,
      note, made_by, created_at
    from unnest(
      ${counts.map(({ messageType }) => messageType)}::smallint[],
      ${counts.map(({ entryCount }) => (isFromEnd ? skipped : entryCount - reach))}::bigint[],
      ${counts.map(({ entryCount }) => (isFromEnd ? reach : entryCount - skipped))}::bigint[]
    ) as given (type, after, until)
    join credit_entries on account_id = ${accountId}
      and message_type = type
      and position > after
      and position <= until
    order by ${isMixed ? sql`created_at ${direction}, message_type ${direction},` : sql``} position ${direction}
    offset ${offset - skipped}
    limit ${limit}
  `
  return newestFirst(rows, window)
}
