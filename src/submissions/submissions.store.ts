import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { numberArray } from '../database/number-array.ts'
import { byShard } from '../database/shape.ts'
import { isGiven, unnestRecipientKeys } from '../recipients/conditions.store.ts'
import type { RecipientKey } from '../recipients/move.ts'
import type { RecipientState } from '../recipients/recipient.ts'

/** The segments of a recipient that a carrier accepted, as their ids in canonical form. */
export interface NewSubmission extends RecipientKey {
  carrier: string
  carrierMessageIds: readonly string[]
}

/** A recipient whose one segment a carrier accepted a moment ago. */
export interface RecentSubmission extends RecipientKey {
  phone: string
  country: string
  submittedAtMs: number
}

/** Stores a row for each segment. Receipts are matched by its id. */
export async function insertSubmissions(sql: Sql, submissions: readonly NewSubmission[]): Promise<void> {
  const rows = { of: [] as NewSubmission[], ids: [] as string[], part: [] as number[] }
  for (const submission of submissions) {
    const { carrierMessageIds } = submission
    for (let index = 0; index < carrierMessageIds.length; index++) {
      rows.of.push(submission)
      rows.ids.push(carrierMessageIds[index] as string)
      rows.part.push(index + 1)
    }
  }
  const [first] = rows.of
  if (!first) return
  const { accountId, messageId, carrier } = first
  const isSame = (row: NewSubmission) => row.messageId === messageId && row.carrier === carrier
  // Most groups are of one message: then the columns that all rows share are given once.
  const shared = rows.of.every(isSame)
    ? sql`${accountId}::bigint as account_id, ${messageId}::bigint as message_id, ${carrier}::text as carrier`
    : sql`
        unnest(${numberArray(rows.of.map((row) => row.accountId))}::bigint[]) as account_id,
        unnest(${numberArray(rows.of.map((row) => row.messageId))}::bigint[]) as message_id,
        unnest(${rows.of.map((row) => row.carrier)}::text[]) as carrier
      `
  await sql`
    insert into submissions (account_id, message_id, carrier, position, carrier_message_id, part, parts)
    select ${shared},
      unnest(${numberArray(rows.of.map(({ position }) => position))}::integer[]) as position,
      unnest(${rows.ids}::text[]) as carrier_message_id,
      unnest(${numberArray(rows.part)}::smallint[]) as part,
      unnest(${numberArray(rows.of.map(({ carrierMessageIds }) => carrierMessageIds.length))}::smallint[]) as parts
  `
}

/** A segment that a carrier accepted under one of the given ids. */
export interface Segment extends RecipientKey {
  carrierMessageId: string
  part: number
  parts: number
  submittedAt: Date
}

/** One walk along the index. Of any account: a carrier does not know the account of a message. */
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

/** The state that a receipt reports for one segment, or for all segments with the same id. */
export interface SegmentState extends RecipientKey {
  carrier: string
  id: string
  state: RecipientState
}

/** Stores the final states of segments. The first final state of a segment stays. Each segment may be given once. */
export async function updateSegmentStates(sql: Sql, segments: readonly SegmentState[]): Promise<void> {
  await sql`
    update submissions
    set state = given.state
    from unnest(
      ${segments.map(({ carrier }) => carrier)}::text[],
      ${segments.map(({ id }) => id)}::text[],
      ${segments.map(({ messageId }) => messageId)}::bigint[],
      ${segments.map(({ position }) => position)}::integer[],
      ${segments.map(({ state }) => state)}::smallint[]
    ) as given (carrier, id, message_id, position, state)
    where submissions.carrier = any(array[given.carrier])
      and carrier_message_id = given.id
      and submissions.message_id = given.message_id
      and submissions.position = given.position
      and submissions.state is null
  `
}

/** The states of all segments of these recipients, in their order; null without a final receipt. */
export async function listSegmentStates(
  sql: Sql,
  keys: readonly RecipientKey[],
  toCanonical: (carrier: string, id: string) => string
): Promise<(RecipientKey & { part: number; state: RecipientState | null })[]> {
  const ids = await byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<(RecipientKey & { carrier: string; carrierMessageIds: string[] })[]>`
      select distinct recipients.account_id, recipients.message_id, recipients.position, carrier, carrier_message_ids
      from recipients
      join ${unnestRecipientKeys(sql, keys)} on ${isGiven(sql, ofAccounts, keys)}
      where carrier is not null
    `
  )
  const segments = ids.flatMap(({ carrier, carrierMessageIds, ...key }) =>
    carrierMessageIds.map((id) => ({ ...key, carrier, id: toCanonical(carrier, id) }))
  )
  return sql`
    select submissions.account_id, submissions.message_id, submissions.position, part, state
    from submissions
    join (
      select distinct *
      from unnest(
        ${segments.map(({ messageId }) => messageId)}::bigint[],
        ${segments.map(({ position }) => position)}::integer[],
        ${segments.map(({ carrier }) => carrier)}::text[],
        ${segments.map(({ id }) => id)}::text[]
      ) as given (message_id, position, carrier, id)
    ) as given on submissions.carrier = any(array[given.carrier])
      and carrier_message_id = given.id
      and submissions.message_id = given.message_id
      and submissions.position = given.position
    order by part
  `
}

/** Locks segments with an overdue receipt, oldest first, until the transaction ends; with `only`, of that recipient. */
export async function claimOverdue(
  sql: Sql,
  { days, limit, only }: { days: number; limit: number; only?: RecipientKey | undefined }
): Promise<OverdueSubmission[]> {
  return sql<OverdueSubmission[]>`
    select account_id, message_id, position, carrier, carrier_message_id, submitted_at
    from submissions
    where expired_at is null
      and submitted_at < now() - make_interval(days => ${days})
      ${only ? sql`and message_id = ${only.messageId} and position = ${only.position}` : sql``}
    order by submitted_at
    limit ${limit}
    for update skip locked
  `
}

interface SubmissionKey extends RecipientKey {
  carrier: string
  carrierMessageId: string
}

export interface OverdueSubmission extends SubmissionKey {
  submittedAt: Date
}

/** Marks segments without a receipt as expired. They stay for a while: a receipt may still come. */
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
    submissions.carrier = any(array[given.carrier])
    and carrier_message_id = given.id
    and submissions.message_id = given.message_id
    and submissions.position = given.position
  `
}

/** Removes expired submissions after their retention, some at a time. Returns their number. */
export async function deleteOldSubmissions(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'submissions', column: 'expired_at' }, retention)
}
