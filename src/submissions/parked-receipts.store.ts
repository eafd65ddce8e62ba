import type { Receipt } from '../carriers/carrier.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'

/** A receipt without a match so far. */
export interface ParkedReceipt extends Receipt {
  id: number
  receivedAt: Date
  tries: number
  nextTryAt: Date | null
}

export async function insertParked(
  sql: Sql,
  receipts: readonly Receipt[],
  { nextTrySeconds }: { nextTrySeconds: number }
): Promise<void> {
  if (receipts.length === 0) return
  await sql`
    insert into parked_receipts (
      id, carrier, carrier_message_id, state, word, error_code, source, destination, happened_at, next_try_at
    )
    select nextval('receipt_ids'), carrier, carrier_message_id, state, word, error_code, source, destination,
      at::timestamptz, now() + make_interval(secs => ${nextTrySeconds})
    from unnest(
      ${receipts.map(({ carrier }) => carrier)}::text[],
      ${receipts.map(({ carrierMessageId }) => carrierMessageId)}::text[],
      ${receipts.map(({ state }) => state)}::text[],
      ${receipts.map(({ word }) => word)}::text[],
      ${receipts.map(({ errorCode }) => errorCode)}::text[],
      ${receipts.map(({ source }) => source)}::text[],
      ${receipts.map(({ destination }) => destination)}::text[],
      ${receipts.map(({ at }) => at.toISOString())}::text[]
    ) as given (carrier, carrier_message_id, state, word, error_code, source, destination, at)
  `
}

/** Locks receipts that are due for another try, oldest first, until the transaction ends; with `only`, that one if it is. */
export async function claimParked(
  sql: Sql,
  { limit, only }: { limit: number; only?: { id: number } | undefined }
): Promise<ParkedReceipt[]> {
  return sql<ParkedReceipt[]>`
    select ${parkedColumns(sql)}
    from parked_receipts
    where next_try_at <= now()
      ${only ? sql`and id = ${only.id}` : sql``}
    order by next_try_at
    limit ${limit}
    for update skip locked
  `
}

export async function deleteParked(sql: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from parked_receipts
    where id = any(${ids as number[]}::bigint[])
  `
}

/** A receipt without `nextTrySeconds` is not tried again. */
export async function updateParked(
  sql: Sql,
  receipts: readonly { id: number; nextTrySeconds: number | undefined }[]
): Promise<void> {
  if (receipts.length === 0) return
  await sql`
    update parked_receipts
    set tries = tries + 1,
        next_try_at = case when given.seconds >= 0 then now() + make_interval(secs => given.seconds) end
    from unnest(
      ${receipts.map(({ id }) => id)}::bigint[],
      ${receipts.map(({ nextTrySeconds = -1 }) => nextTrySeconds)}::double precision[]
    ) as given (id, seconds)
    where parked_receipts.id = any(array[given.id])
  `
}

/**
 * Erases a phone from receipts that are no longer tried. Returns whether other receipts of that phone still are. A carrier may
 * write a number with or without its country, so the last eight digits decide, as they do for evidence.
 */
export async function eraseParked(sql: Sql, phone: string): Promise<{ isAnyTried: boolean }> {
  const isSource = sql`"right"(source, 8) = "right"(${phone}, 8)`
  const isDestination = sql`"right"(destination, 8) = "right"(${phone}, 8)`
  await sql`
    update parked_receipts
    set source = case when ${isSource} then '' else source end,
        destination = case when ${isDestination} then '' else destination end
    where (${isSource} or ${isDestination})
      and next_try_at is null
  `
  const [row] = await sql<[{ isAnyTried: boolean }]>`
    select exists (
      select
      from parked_receipts
      where (${isSource} or ${isDestination})
        and next_try_at is not null
    ) as is_any_tried
  `
  return row
}

export async function countParked(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from parked_receipts
  `
  return row.count
}

/** Newest first. A page nearer to the end is read from there and turned round. */
export async function listParkedOfPage(sql: Sql, window: PageWindow): Promise<ParkedReceipt[]> {
  const rows = await sql<ParkedReceipt[]>`
    select ${parkedColumns(sql)}
    from parked_receipts
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

function parkedColumns(sql: Sql) {
  return sql`
    id, carrier, carrier_message_id, state, word, error_code, source, destination, happened_at as at, received_at, tries,
    next_try_at
  `
}

/** The number of unmatched receipts that are tried again, and the age of the oldest. */
export async function readWaitingReceipts(sql: Sql): Promise<{ count: number; seconds: number }> {
  const [row] = await sql<[{ count: number; seconds: number }]>`
    select count(*) as count, coalesce(extract(epoch from now() - min(received_at)), 0)::double precision as seconds
    from parked_receipts
    where next_try_at is not null
  `
  return row
}

/** A parked receipt about a phone. */
export interface ReceiptFound {
  id: number
  carrierMessageId: string
  receivedAt: Date
}

/** Unmatched receipts of this phone, oldest first: they prove that the carrier accepted a message to it after `submittedAt`. */
export async function listEvidence(
  sql: Sql,
  { carrier, phone, submittedAt }: { carrier: string; phone: string; submittedAt: Date }
): Promise<ReceiptFound[]> {
  return sql<ReceiptFound[]>`
    select id, carrier_message_id, received_at
    from parked_receipts
    where carrier = ${carrier}
      and "right"(source, 8) = "right"(${phone}, 8)
      and received_at >= ${submittedAt}
      and carrier_message_id <> ''
    order by received_at
    limit ${EVIDENCE_MAX}
  `
}

const EVIDENCE_MAX = 100

/** Locks receipts in the order of their ids, and returns those that are still parked. */
export async function lockParked(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select id
    from parked_receipts
    where id = any(${ids as number[]}::bigint[])
    order by id
    for update
  `
  return new Set(rows.map(({ id }) => id))
}

/** Makes parked receipts due now: their submission has been found. */
export async function hurryReceipts(sql: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update parked_receipts
    set next_try_at = now()
    where id = any(${ids as number[]}::bigint[])
  `
}

/** Removes parked receipts that are too old to match, some at a time; returns how many. */
export async function deleteOldParked(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'parked_receipts', column: 'received_at', isIndexed: true }, retention)
}
