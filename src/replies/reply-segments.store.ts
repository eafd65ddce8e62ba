import type { InboundMessage } from '../carriers/carrier.ts'
import type { Sql } from '../database/database.ts'

/** A segment of a reply. */
export interface ReplySegment {
  carrier: string
  source: string
  destination: string
  reference: number
  total: number
  position: number
  text: string
}

export type ReplyKey = Omit<ReplySegment, 'position' | 'text'>

/**
 * Stores a segment and returns how many segments of its reply are stored. Undefined for a copy of a segment whose reply is
 * complete already.
 */
export async function insertSegment(sql: Sql, segment: ReplySegment): Promise<number | undefined> {
  const { carrier, source, destination, reference, total, position } = segment
  const text = Buffer.from(segment.text, 'utf16le')
  await lockReply(sql, segment)
  const joined = await sql<{ position: number; text: Buffer }[]>`
    select position, text
    from reply_segments
    where ${isOf(sql, segment)}
      and is_joined
  `
  if (joined.some((known) => known.position === position && known.text.equals(text))) return undefined
  // With another text it is another reply: phones reuse their references.
  if (joined.length > 0) await deleteSegments(sql, segment)
  await sql`
    insert into reply_segments (carrier, source, destination, reference, total, position, text)
    values (${carrier}, ${source}, ${destination}, ${reference}, ${total}, ${position}, ${text})
    on conflict do nothing
  `
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from reply_segments
    where ${isOf(sql, segment)}
  `
  return row.count
}

/** Two that store or join segments of one reply wait for each other here. */
export async function lockReply(sql: Sql, { carrier, source, destination, reference }: ReplyKey): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`reply ${carrier} ${source} ${destination} ${reference}`}, 0))
  `
}

/**
 * Returns the segments of a reply that are not joined yet, by position. The rows stay, only to recognize copies. The caller
 * has locked the reply.
 */
export async function joinSegments(sql: Sql, key: ReplyKey): Promise<Map<number, string>> {
  const rows = await sql<{ position: number; text: Buffer }[]>`
    update reply_segments
    set is_joined = true
    where ${isOf(sql, key)}
      and not is_joined
    returning position, text
  `
  return new Map(rows.map(({ position, text }) => [position, text.toString('utf16le')]))
}

async function deleteSegments(sql: Sql, key: ReplyKey): Promise<void> {
  await sql`
    delete from reply_segments
    where ${isOf(sql, key)}
  `
}

/** Deletes segments of replies that were complete so long ago that no copies are expected. */
export async function deleteJoined(sql: Sql, { seconds }: { seconds: number }): Promise<void> {
  // Rows that another transaction deletes are left to it: two that delete in another order would wait for each other.
  await sql`
    delete from reply_segments
    where (carrier, source, destination, reference, total, position) in (
      select carrier, source, destination, reference, total, position
      from reply_segments
      where is_joined
        and received_at < now() - make_interval(secs => ${seconds})
      for update skip locked
    )
  `
}

/** A reply whose first segment came so long ago that the rest is not expected any more. */
export async function findOverdue(sql: Sql, { seconds }: { seconds: number }): Promise<ReplyKey | undefined> {
  const [row] = await sql<ReplyKey[]>`
    select carrier, source, destination, reference, total
    from reply_segments
    where not is_joined
      and received_at < now() - make_interval(secs => ${seconds})
    order by received_at
    limit 1
  `
  return row
}

/** The reply waits as long once more: it could not be delivered, and lets the others go first. */
export async function putOffReply(sql: Sql, key: ReplyKey): Promise<void> {
  await sql`
    update reply_segments
    set received_at = now()
    where ${isOf(sql, key)}
      and not is_joined
  `
}

function isOf(sql: Sql, { carrier, source, destination, reference, total }: ReplyKey) {
  return sql`
    carrier = ${carrier}
    and source = ${source}
    and destination = ${destination}
    and reference = ${reference}
    and total = ${total}
  `
}

export function toSegment({ carrier, from, to, text, segment }: InboundMessage): ReplySegment | undefined {
  return segment && { carrier, source: from, destination: to, text, ...segment }
}
