import type { Sql } from '../database/database.ts'
import { byShard } from '../database/shape.ts'
import { isInSpanOf, unnestRecipientKeys } from './conditions.store.ts'
import { compareKeys, type RecipientKey } from './move.ts'
import type { StepName } from './step-names.ts'

/** A step of a recipient that its own row does not show. */
export interface Step {
  step: StepName
  /** The carrier's text, or ours. */
  detail: string
  carrier: string | null
  /** Absent means now. */
  at?: Date
}

/** Bounded, since carriers send arbitrary text. */
const DETAIL_MAX = 500

/**
 * A step that may repeat without end is one row with a count. Repeats have the same detail. Retries may differ in their
 * detail: a carrier may give another reason each time, and the last reason is kept.
 */
const COLLAPSED: Readonly<Record<string, 'by step' | 'by detail'>> = {
  retry: 'by step',
  receipt: 'by detail',
  late_receipt: 'by detail',
  late_report: 'by detail',
  delivered_after_all: 'by detail'
}

/** Which of these recipients have ever been in doubt. */
export async function listDoubted(sql: Sql, keys: readonly RecipientKey[]): Promise<RecipientKey[]> {
  return byShard(
    sql,
    keys,
    (keys, ofAccounts) => sql<RecipientKey[]>`
      select distinct timeline_steps.account_id, timeline_steps.message_id, timeline_steps.position
      from timeline_steps
      join ${unnestRecipientKeys(sql, keys)}
        on ${ofAccounts(sql`timeline_steps.account_id`)}
        and timeline_steps.message_id = given.message_id
        and timeline_steps.position = given.position
      where step = 'in_doubt'
        and ${isInSpanOf(
          sql,
          sql`timeline_steps.message_id`,
          keys.map(({ messageId }) => messageId)
        )}
    `
  )
}

/** In one order for all transactions, so two that count the same steps do not deadlock. */
export async function insertSteps(sql: Sql, given: readonly (RecipientKey & Step)[]): Promise<void> {
  if (given.length === 0) return
  const steps = collapse(given).toSorted(compareKeys)
  await byShard(
    sql,
    steps,
    (steps) => sql`
    insert into timeline_steps (
      account_id, message_id, position, id, step, detail, carrier, at, times, last_at, collapsed_by
    )
    select account_id, message_id, position, nextval('timeline_ids'), step, detail, nullif(carrier, ''),
      coalesce(at, now()), times, coalesce(at, now()), nullif(collapsed_by, '')
    from unnest(
      ${steps.map(({ accountId }) => accountId)}::bigint[],
      ${steps.map(({ messageId }) => messageId)}::bigint[],
      ${steps.map(({ position }) => position)}::integer[],
      ${steps.map(({ step }) => step)}::text[],
      ${steps.map(({ detail }) => detail)}::text[],
      ${steps.map(({ carrier }) => carrier ?? '')}::text[],
      ${steps.map(({ at }) => at ?? null)}::timestamptz[],
      ${steps.map(({ times }) => times)}::integer[],
      ${steps.map(({ collapsedBy }) => collapsedBy ?? '')}::text[]
    ) as given (account_id, message_id, position, step, detail, carrier, at, times, collapsed_by)
    on conflict (account_id, message_id, position, step, collapsed_by) where collapsed_by is not null do update
    set times = timeline_steps.times + excluded.times,
        at = least(timeline_steps.at, excluded.at),
        last_at = greatest(timeline_steps.last_at, excluded.last_at),
        detail = excluded.detail
  `
  )
}

interface CollapsedStep extends RecipientKey, Step {
  times: number
  /** Undefined when the step is a row of its own. */
  collapsedBy: string | undefined
}

/** Merges steps that share a row: a statement can't change a row twice. */
function collapse(given: readonly (RecipientKey & Step)[]): CollapsedStep[] {
  const steps: CollapsedStep[] = []
  const known = new Map<string, CollapsedStep>()
  for (const added of given) {
    const detail = added.detail.slice(0, DETAIL_MAX)
    const collapsedBy = collapsedByOf(added, detail)
    const name = `${added.accountId} ${added.messageId} ${added.position} ${added.step} ${collapsedBy}`
    const before = collapsedBy === undefined ? undefined : known.get(name)
    if (before) {
      before.times++
      before.detail = detail
      continue
    }
    const step = { ...added, detail, times: 1, collapsedBy }
    steps.push(step)
    known.set(name, step)
  }
  return steps
}

function collapsedByOf({ step, carrier }: Step, detail: string): string | undefined {
  const by = COLLAPSED[step]
  return by && `${carrier ?? ''} ${by === 'by detail' ? detail : ''}`
}

/** How often a step happened, and when it last did. */
export interface Repeated {
  times: number
  lastAt: Date | null
}

/** Oldest first. */
export async function listSteps(
  sql: Sql,
  { accountId, messageId, position }: RecipientKey
): Promise<(Step & Repeated & { at: Date })[]> {
  return sql`
    select at, step, detail, carrier, times, last_at
    from timeline_steps
    where account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
    order by id
  `
}

/** The facts of a timeline that the rows of the recipient and its message hold. */
export interface TimelineFacts {
  state: number
  segments: number
  credits: number
  carrier: string | null
  carrierMessageIds: string[] | null
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
  clickedAt: Date | null
  receipt: string | null
  cancelledAt: Date | null
}

export async function findTimelineFacts(
  sql: Sql,
  { accountId, messageId, position }: { accountId: number; messageId: number; position: number }
): Promise<TimelineFacts | undefined> {
  const [row] = await sql<TimelineFacts[]>`
    select recipients.state, segments, credits, carrier, carrier_message_ids, sent_at, delivered_at, read_at,
      clicked_at, receipt, cancelled_at
    from recipients
    join messages on messages.account_id = recipients.account_id and messages.id = recipients.message_id
    where recipients.account_id = ${accountId}
      and message_id = ${messageId}
      and position = ${position}
  `
  return row
}
