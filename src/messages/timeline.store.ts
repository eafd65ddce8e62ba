import type { Sql } from '../database/database.ts'
import type { RecipientKey } from './moves.store.ts'

/** Something that happened to a recipient beyond what its own row tells. */
export interface Step {
  step: string
  /** The carrier's own words, or ours. */
  detail: string
  carrier: string | null
  /** Now, if it is not told. */
  at?: Date
}

/** Bounded, since carriers write whatever they like. */
const DETAIL_MAX = 500

export async function insertSteps(sql: Sql, steps: readonly (RecipientKey & Step)[]): Promise<void> {
  if (steps.length === 0) return
  await sql`
    insert into timeline_steps (account_id, message_id, position, id, step, detail, carrier, at)
    select account_id, message_id, position, nextval('timeline_ids'), step, detail, nullif(carrier, ''),
      coalesce(nullif(at, '')::timestamptz, now())
    from unnest(
      ${steps.map(({ accountId }) => accountId)}::bigint[],
      ${steps.map(({ messageId }) => messageId)}::bigint[],
      ${steps.map(({ position }) => position)}::integer[],
      ${steps.map(({ step }) => step)}::text[],
      ${steps.map(({ detail }) => detail.slice(0, DETAIL_MAX))}::text[],
      ${steps.map(({ carrier }) => carrier ?? '')}::text[],
      ${steps.map(({ at }) => at?.toISOString() ?? '')}::text[]
    ) as given (account_id, message_id, position, step, detail, carrier, at)
  `
}

/** Oldest first. */
export async function listSteps(
  sql: Sql,
  { accountId, messageId, position }: RecipientKey
): Promise<(Step & { at: Date })[]> {
  return sql`
    select at, step, detail, carrier
    from timeline_steps
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
    order by id
  `
}
