import type { InboundMessage } from '../carriers/carrier.ts'
import type { Sql } from '../database/database.ts'

/** A segment of a reply that is not yet whole. */
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

/** Keeps a segment; one that is there already stays. Two of one reply wait for each other here. */
export async function insertSegment(sql: Sql, segment: ReplySegment): Promise<void> {
  const { carrier, source, destination, reference, total, position, text } = segment
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`reply ${carrier} ${source} ${destination} ${reference}`}, 0))
  `
  await sql`
    insert into reply_segments (carrier, source, destination, reference, total, position, text)
    values (${carrier}, ${source}, ${destination}, ${reference}, ${total}, ${position}, ${Buffer.from(text, 'utf16le')})
    on conflict do nothing
  `
}

export async function countSegments(sql: Sql, key: ReplyKey): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from reply_segments
    where ${isOf(sql, key)}
  `
  return row.count
}

/** Takes all segments of a reply, by their position. */
export async function deleteSegments(sql: Sql, key: ReplyKey): Promise<Map<number, string>> {
  const rows = await sql<{ position: number; text: Buffer }[]>`
    delete from reply_segments
    where ${isOf(sql, key)}
    returning position, text
  `
  return new Map(rows.map(({ position, text }) => [position, text.toString('utf16le')]))
}

/** A reply whose first segment came so long ago that the rest is not expected any more. */
export async function findOverdue(sql: Sql, { seconds }: { seconds: number }): Promise<ReplyKey | undefined> {
  const [row] = await sql<ReplyKey[]>`
    select carrier, source, destination, reference, total
    from reply_segments
    where received_at < now() - make_interval(secs => ${seconds})
    order by received_at
    limit 1
    for update skip locked
  `
  return row
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
