import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'
import type { Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Choice, Trial } from './trial.ts'
import type { Figures } from './verdict.ts'

export interface TrialKey {
  accountId: number
  id: number
}

/** What a customer decides of a trial. */
export type TrialFields = Pick<
  Trial,
  'name' | 'contactlist' | 'segmentIds' | 'share' | 'decideBy' | 'decideAfterMinutes' | 'variants'
>

/** What is known of a trial once it has begun. */
export type Begun = Pick<Trial, 'variables' | 'messageIds' | 'restCount' | 'dueAt'>

const columns = (sql: Sql) => sql`
  account_id, id, name, state, contactlist, segment_ids, share, decide_by, decide_after_minutes, variants, variables, message_ids,
  rest_count, due_at, begun_at, choice, rest_message_id, problem, created_at
`

/** Draws the id of a trial: its people are stored before it. */
export async function drawTrialId(sql: Sql): Promise<number> {
  const [row] = await sql<[{ id: number }]>`select nextval('trial_ids') as id`
  return row.id
}

/** A trial that begins at that time. */
export async function insertTrial(
  sql: Sql,
  { accountId, id }: TrialKey,
  { name, contactlist, segmentIds, share, decideBy, decideAfterMinutes, variants, dueAt }: TrialFields & { dueAt: Date }
): Promise<Trial> {
  const [row] = await sql<[Trial]>`
    insert into trials (
      account_id, id, name, state, contactlist, segment_ids, share, decide_by, decide_after_minutes, variants, due_at
    )
    values (
      ${accountId}, ${id}, ${name}, 'scheduled', ${contactlist}::bigint[], ${segmentIds}::bigint[], ${share}, ${decideBy},
      ${decideAfterMinutes}, ${sql.json(variants)}, ${dueAt}
    )
    returning ${columns(sql)}
  `
  return row
}

export async function countTrials(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from trials
    where account_id = ${accountId}
  `
  return row.count
}

/** Newest first. */
export async function listTrialsOfPage(sql: Sql, accountId: number, window: PageWindow): Promise<Trial[]> {
  const rows = await sql<Trial[]>`
    select ${columns(sql)}
    from trials
    where account_id = ${accountId}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export async function findTrial(
  sql: Sql,
  { accountId, id }: TrialKey,
  { isLocked = false }: { isLocked?: boolean } = {}
): Promise<Trial | undefined> {
  const [row] = await sql<Trial[]>`
    select ${columns(sql)}
    from trials
    where account_id = ${accountId}
      and id = ${id}
    ${isLocked ? sql`for update` : sql``}
  `
  return row
}

/**
 * Locks the trial that has been due longest, of any account but these top-level accounts and their sub-accounts: for workers.
 * One that another process works on is passed over.
 */
export async function lockDueTrial(
  sql: Sql,
  except: readonly number[]
): Promise<(Trial & { topLevelId: number }) | undefined> {
  const [row] = await sql<(Trial & { topLevelId: number })[]>`
    select ${columns(sql)}, ${topLevelIdOf(sql, sql`trials.account_id`)}
    from trials
    where due_at <= now()
      and ${isOfOthers(sql, sql`account_id`, except)}
    order by due_at
    limit 1
    for update skip locked
  `
  return row
}

/**
 * Trials that may have gone on in another copy of the database, of any account: those whose time has come, and all that test,
 * since a person may have chosen before the time. `isAll`: also those that begin later.
 */
export async function listUnsureTrials(
  sql: Sql,
  { isAll }: { isAll: boolean }
): Promise<(TrialKey & { state: 'scheduled' | 'testing' })[]> {
  return sql`
    select account_id, id, state
    from trials
    where due_at is not null
      and (state = 'testing' or due_at <= now() or ${isAll})
    order by account_id, id
  `
}

/**
 * Later: for one whose account is suspended, whose variants have not left, or after a failure that is not its own. One that is no
 * longer due has begun or was decided meanwhile, by another process or by a transaction whose end was not heard.
 */
export async function putOffTrial(sql: Sql, { accountId, id }: TrialKey, seconds: number): Promise<void> {
  await sql`
    update trials
    set due_at = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId}
      and id = ${id}
      and due_at <= now()
  `
}

/** Its variants are sent, and the rest waits. */
export async function updateToTesting(
  sql: Sql,
  { accountId, id }: TrialKey,
  { variables, messageIds, restCount, dueAt }: Begun
): Promise<Trial> {
  const [row] = await sql<[Trial]>`
    update trials
    set state = 'testing',
        begun_at = now(),
        variables = ${variables}::text[],
        message_ids = ${messageIds}::bigint[],
        rest_count = ${restCount},
        due_at = ${dueAt}
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

export async function updateToChosen(
  sql: Sql,
  { accountId, id }: TrialKey,
  { choice, restMessageId }: { choice: Choice; restMessageId: number | null }
): Promise<Trial> {
  const [row] = await sql<[Trial]>`
    update trials
    set state = 'chosen',
        choice = ${sql.json({ ...choice })},
        rest_message_id = ${restMessageId},
        due_at = null,
        problem = null
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

/** Refused: the beginning, which ends the trial, or the message to the rest, which a person can try again. */
export async function updateTrialProblem(
  sql: Sql,
  { accountId, id }: TrialKey,
  { state, problem }: { state: 'failed' | 'testing'; problem: string }
): Promise<void> {
  await sql`
    update trials
    set state = ${state},
        problem = ${problem},
        due_at = null
    where account_id = ${accountId}
      and id = ${id}
  `
}

export async function updateToCancelledTrial(sql: Sql, { accountId, id }: TrialKey): Promise<Trial> {
  const [row] = await sql<[Trial]>`
    update trials
    set state = 'cancelled',
        due_at = null
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

/** For an account that is closed: nothing would ever come of them. Returns those that are cancelled now. */
export async function cancelTrialsOf(sql: Sql, accountId: number): Promise<TrialKey[]> {
  return sql<TrialKey[]>`
    update trials
    set state = 'cancelled',
        due_at = null
    where account_id = ${accountId}
      and state in ('scheduled', 'testing')
    returning account_id, id
  `
}

export interface VariantCounts extends Figures {
  messageId: number
  waiting: number
  scheduledAt: Date
}

/** In no order. */
export async function listVariantCounts(
  sql: Sql,
  { accountId, messageIds }: Pick<Trial, 'accountId' | 'messageIds'>
): Promise<VariantCounts[]> {
  return sql<VariantCounts[]>`
    select id as message_id, scheduled_at, recipients_count as recipients, waiting_count as waiting,
      recipients_count - cancelled_count - stopped_count as counted, taken_count as sent,
      delivered_count + read_count as delivered, clicked_count as clicked, replied_count as replied,
      opted_out_count as opted_out
    from messages
    where account_id = ${accountId}
      and id = any(${messageIds}::bigint[])
  `
}

export async function deleteTrialsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  for (const table of ['trials', 'trial_people']) {
    await sql`
      delete from ${sql(table)}
      where account_id = any(${accountIds as number[]}::bigint[])
    `
  }
}

/**
 * Trials that began as long ago as the messages that are removed, with the people of those that nobody decided. A trial that will
 * be decided by itself stays.
 */
export async function deleteOldTrials(sql: Sql, { days, limit }: Retention): Promise<number> {
  const { count } = await sql`
    delete from trial_people
    where ctid = any(array(
      select trial_people.ctid
      from trials
      join trial_people on trial_people.account_id = trials.account_id and trial_people.trial_id = trials.id
      where ${isOld(sql, days)}
      limit ${limit}
    ))
  `
  if (count > 0) return count
  // Their trials go once nobody is left in them.
  const trials = await sql`
    delete from trials
    where ctid = any(array(
      select ctid
      from trials
      where ${isOld(sql, days)}
      limit ${limit}
    ))
  `
  return trials.count
}

/** Only scheduled trials, and those that test, have a time at which they are due. */
function isOld(sql: Sql, days: number) {
  return sql`
    coalesce(begun_at, trials.created_at) < now() - make_interval(days => ${days})
    and due_at is null
  `
}
