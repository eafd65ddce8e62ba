import type { Receipt } from '../carriers/carrier.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import { type RecipientKey, unnestRecipientKeys } from '../recipients/moves.store.ts'

/** A segment that a carrier took under such an id. */
export interface Segment extends RecipientKey {
  carrierMessageId: string
  part: number
  parts: number
  submittedAt: Date
}

/** By one walk along the index. Of any account: a carrier does not know whose message it was. */
export async function listSegments(
  sql: Sql,
  { carrier, ids }: { carrier: string; ids: readonly string[] }
): Promise<Segment[]> {
  return sql<Segment[]>`
    select carrier_message_id, account_id, message_id, position, part, parts, submitted_at
    from submissions
    where carrier = ${carrier}
      and carrier_message_id = any(${ids as string[]}::text[])
  `
}

/** What a receipt says of one of several segments, or of all that the carrier gave the same id. */
export interface PartWord extends RecipientKey {
  carrier: string
  id: string
  state: number
}

/** Recipients of several segments, held until the transaction ends: two receipts at once would each miss the other. */
export async function lockRecipients(sql: Sql, keys: readonly RecipientKey[]): Promise<void> {
  await sql`
    select
    from recipients
    join (
      select distinct account_id, message_id, position
      from ${unnestRecipientKeys(sql, keys)}
    ) as given using (account_id, message_id, position)
    order by account_id, message_id, position
    for update of recipients
  `
}

/** Writes down what became of segments; the first final word on each stays. Each segment is named once. */
export async function updateParts(sql: Sql, words: readonly PartWord[]): Promise<void> {
  await sql`
    update submissions
    set state = given.state
    from unnest(
      ${words.map(({ carrier }) => carrier)}::text[],
      ${words.map(({ id }) => id)}::text[],
      ${words.map(({ messageId }) => messageId)}::bigint[],
      ${words.map(({ position }) => position)}::integer[],
      ${words.map(({ state }) => state)}::smallint[]
    ) as given (carrier, id, message_id, position, state)
    where submissions.carrier = given.carrier
      and carrier_message_id = given.id
      and submissions.message_id = given.message_id
      and submissions.position = given.position
      and submissions.state is null
  `
}

/** What became of all segments of these recipients, in their order; null is nothing yet. */
export async function listParts(
  sql: Sql,
  keys: readonly RecipientKey[],
  toCanonical: (carrier: string, id: string) => string
): Promise<(RecipientKey & { part: number; state: number | null })[]> {
  const ids = await sql<(RecipientKey & { carrier: string; carrierMessageIds: string[] })[]>`
    select distinct account_id, message_id, position, carrier, carrier_message_ids
    from recipients
    join ${unnestRecipientKeys(sql, keys)} using (account_id, message_id, position)
    where carrier is not null
  `
  const parts = ids.flatMap(({ carrier, carrierMessageIds, ...key }) =>
    carrierMessageIds.map((id) => ({ ...key, carrier, id: toCanonical(carrier, id) }))
  )
  return sql`
    select submissions.account_id, submissions.message_id, submissions.position, part, state
    from submissions
    join (
      select distinct *
      from unnest(
        ${parts.map(({ messageId }) => messageId)}::bigint[],
        ${parts.map(({ position }) => position)}::integer[],
        ${parts.map(({ carrier }) => carrier)}::text[],
        ${parts.map(({ id }) => id)}::text[]
      ) as given (message_id, position, carrier, id)
    ) as given on submissions.carrier = given.carrier
      and carrier_message_id = given.id
      and submissions.message_id = given.message_id
      and submissions.position = given.position
    order by part
  `
}

/** A receipt that matches nothing, yet or for ever. */
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

/** Those that are to be tried again now, oldest first; held until the transaction ends. */
export async function claimParked(sql: Sql, limit: number): Promise<ParkedReceipt[]> {
  return sql<ParkedReceipt[]>`
    select ${parkedColumns(sql)}
    from parked_receipts
    where next_try_at <= now()
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

/** Without a time, it is not tried again. */
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
    where parked_receipts.id = given.id
  `
}

/**
 * Takes a phone out of receipts that are not tried any more; tells whether others about it still are. A carrier may write a
 * number with or without its country, so the last eight digits decide, as they do for evidence.
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

/** Segments whose receipt is overdue, oldest first; held until the transaction ends. */
export async function claimOverdue(
  sql: Sql,
  { days, limit }: { days: number; limit: number }
): Promise<(RecipientKey & { carrier: string; carrierMessageId: string; submittedAt: Date })[]> {
  return sql`
    select account_id, message_id, position, carrier, carrier_message_id, submitted_at
    from submissions
    where expired_at is null
      and submitted_at < now() - make_interval(days => ${days})
    order by submitted_at
    limit ${limit}
    for update skip locked
  `
}

interface SubmissionKey extends RecipientKey {
  carrier: string
  carrierMessageId: string
}

/** Keeps segments of which no receipt came a while longer: it may still come. */
export async function updateToExpired(sql: Sql, keys: readonly SubmissionKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update submissions
    set expired_at = now()
    from ${unnestSubmissions(sql, keys)}
    where ${isSubmission(sql)}
  `
}

export async function deleteSubmissions(sql: Sql, keys: readonly SubmissionKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    delete from submissions
    using ${unnestSubmissions(sql, keys)}
    where ${isSubmission(sql)}
  `
}

function unnestSubmissions(sql: Sql, keys: readonly SubmissionKey[]) {
  return sql`
    unnest(
      ${keys.map(({ messageId }) => messageId)}::bigint[],
      ${keys.map(({ position }) => position)}::integer[],
      ${keys.map(({ carrier }) => carrier)}::text[],
      ${keys.map(({ carrierMessageId }) => carrierMessageId)}::text[]
    ) as given (message_id, position, carrier, id)
  `
}

function isSubmission(sql: Sql) {
  return sql`
    submissions.carrier = given.carrier
    and carrier_message_id = given.id
    and submissions.message_id = given.message_id
    and submissions.position = given.position
  `
}

/** Removes what nobody waits for any more, a little at a time; tells how much it was. */
export async function deleteOldReceipts(sql: Sql, retention: Retention): Promise<number> {
  const late = await deleteOld(sql, { table: 'submissions', column: 'expired_at' }, retention)
  const parked = await deleteOld(sql, { table: 'parked_receipts', column: 'received_at', isIndexed: true }, retention)
  return Math.max(late, parked)
}
