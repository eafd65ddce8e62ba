import type { Sql } from '../database/database.ts'
import { numberArray } from '../database/number-array.ts'
import { type BatchKey, isHeld } from './leases.store.ts'

/** Positions of a batch that a worker holds. */
export interface Mark {
  batch: BatchKey
  positions: readonly number[]
}

/**
 * Adds positions to the submitting list before anything goes to a socket. After a crash these positions are in doubt,
 * and not forgotten. Returns the batches that were still held.
 */
export async function markSubmitting(
  sql: Sql,
  { carrier, marks, leaseSeconds }: { carrier: string | null; marks: readonly Mark[]; leaseSeconds: number }
): Promise<{ id: number }[]> {
  return sql`
    update batches
    set submitting = batches.submitting || given.positions::integer[],
        carrier = ${carrier},
        leased_until = now() + make_interval(secs => ${leaseSeconds})
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
    returning batches.id
  `
}

/**
 * Removes positions from the submitting list: the carrier did not take them, or they are in doubt. Returns the batches
 * that were still held. For any other batch, its new lease holder has already decided on these positions.
 */
export async function unmarkSubmitting(sql: Sql, marks: readonly Mark[]): Promise<{ id: number }[]> {
  if (marks.length === 0) return []
  return sql`
    update batches
    set submitting = array(select unnest(batches.submitting) except select unnest(given.positions::integer[]))
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
    returning batches.id
  `
}

/** Takes positions out of batches: they are queued elsewhere. */
export async function removePositions(sql: Sql, marks: readonly Mark[]): Promise<void> {
  await sql`
    update batches
    set positions = array(
      select position
      from unnest(batches.positions) with ordinality as own (position, number)
      where position <> all(given.positions::integer[])
      order by number
    )
    from ${unnestMarks(sql, marks)}
    where ${isHeld(sql)}
  `
}

/** The same, with the positions of each batch. */
function unnestMarks(sql: Sql, given: readonly Mark[]) {
  const marks = given.toSorted((a, b) => a.batch.id - b.batch.id)
  return sql`
    unnest(
      ${marks.map(({ batch }) => batch.accountId)}::bigint[],
      ${marks.map(({ batch }) => batch.messageId)}::bigint[],
      ${marks.map(({ batch }) => batch.id)}::bigint[],
      ${marks.map(({ batch }) => batch.leasedBy)}::uuid[],
      ${marks.map(({ positions }) => numberArray(positions))}::text[]
    ) as given (account_id, message_id, id, leased_by, positions)
  `
}
