import { isOfOthers, topLevelIdOf } from '../accounts/top-levels.store.ts'
import type { Sql } from '../database/database.ts'
import { deleteOld, type Retention } from '../database/delete-old.ts'
import { newestFirst, type PageWindow } from '../http/paging.ts'
import type { Automation, AutomationRun } from './automation.ts'

export interface AutomationKey {
  accountId: number
  id: number
}

/** What a customer decides of an automation. */
export type AutomationFields = Pick<
  Automation,
  'name' | 'schedule' | 'isOnce' | 'contactlist' | 'segmentIds' | 'request' | 'nextAt'
>

const columns = (sql: Sql) => sql`
  account_id, id, name, schedule, is_once, contactlist, segment_ids, request, next_at, last_run_at, created_at, updated_at,
  (
    select runs.problem
    from automation_runs as runs
    where runs.account_id = automations.account_id
      and runs.automation_id = automations.id
      and runs.ran_at >= automations.last_run_at
    order by runs.id desc
    limit 1
  ) as last_problem
`

export async function insertAutomation(sql: Sql, accountId: number, fields: AutomationFields): Promise<Automation> {
  const { name, schedule, isOnce, contactlist, segmentIds, request, nextAt } = fields
  const [row] = await sql<[Automation]>`
    insert into automations (account_id, id, name, schedule, is_once, contactlist, segment_ids, request, next_at)
    values (
      ${accountId}, nextval('automation_ids'), ${name}, ${schedule}, ${isOnce}, ${contactlist}::bigint[],
      ${segmentIds}::bigint[], ${sql.json(request)}, ${nextAt}
    )
    returning ${columns(sql)}
  `
  return row
}

export async function updateAutomation(
  sql: Sql,
  { accountId, id }: AutomationKey,
  fields: AutomationFields
): Promise<Automation | undefined> {
  const { name, schedule, isOnce, contactlist, segmentIds, request, nextAt } = fields
  const [row] = await sql<Automation[]>`
    update automations
    set name = ${name},
        schedule = ${schedule},
        is_once = ${isOnce},
        contactlist = ${contactlist}::bigint[],
        segment_ids = ${segmentIds}::bigint[],
        request = ${sql.json(request)},
        next_at = ${nextAt},
        updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

export async function countAutomations(sql: Sql, accountId: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from automations
    where account_id = ${accountId}
  `
  return row.count
}

/** Newest first. */
export async function listAutomationsOfPage(sql: Sql, accountId: number, window: PageWindow): Promise<Automation[]> {
  const rows = await sql<Automation[]>`
    select ${columns(sql)}
    from automations
    where account_id = ${accountId}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

/** `isLocked`: until the end of the transaction. A run under way is waited for, and none begins meanwhile. */
export async function findAutomation(
  sql: Sql,
  { accountId, id }: AutomationKey,
  { isLocked = false }: { isLocked?: boolean } = {}
): Promise<Automation | undefined> {
  const [row] = await sql<Automation[]>`
    select ${columns(sql)}
    from automations
    where account_id = ${accountId}
      and id = ${id}
    ${isLocked ? sql`for update` : sql``}
  `
  return row
}

/** Removes an automation with its history. */
export async function deleteAutomation(sql: Sql, { accountId, id }: AutomationKey): Promise<boolean> {
  const { count } = await sql`
    delete from automations
    where account_id = ${accountId}
      and id = ${id}
  `
  if (count === 0) return false
  await sql`
    delete from automation_runs
    where account_id = ${accountId}
      and automation_id = ${id}
  `
  await sql`
    delete from automation_people
    where account_id = ${accountId}
      and automation_id = ${id}
  `
  return true
}

export async function deleteAutomationsOf(sql: Sql, accountIds: readonly number[]): Promise<void> {
  for (const table of ['automations', 'automation_runs', 'automation_people']) {
    await sql`
      delete from ${sql(table)}
      where account_id = any(${accountIds as number[]}::bigint[])
    `
  }
}

export interface DueAutomation extends Automation {
  topLevelId: number
  nextAt: Date
}

/**
 * Locks the automation that has been due longest, of any account but these top-level accounts and their sub-accounts: for
 * workers. One that another process runs is passed over.
 */
export async function lockDueAutomation(sql: Sql, except: readonly number[]): Promise<DueAutomation | undefined> {
  const [row] = await sql<DueAutomation[]>`
    select ${columns(sql)}, ${topLevelIdOf(sql, sql`automations.account_id`)}
    from automations
    where next_at <= now()
      and ${isOfOthers(sql, sql`account_id`, except)}
    order by next_at
    limit 1
    for update skip locked
  `
  return row
}

/** Locks the automations of an account that wait for their time. */
export async function lockWaiting(
  sql: Sql,
  accountId: number
): Promise<(AutomationKey & { schedule: string; nextAt: Date })[]> {
  return sql`
    select account_id, id, schedule, next_at
    from automations
    where account_id = ${accountId}
      and next_at > now()
    order by id
    for update
  `
}

/** Turns an automation off, as it is. */
export async function turnOff(sql: Sql, { accountId, id }: AutomationKey): Promise<Automation | undefined> {
  const [row] = await sql<Automation[]>`
    update automations
    set next_at = null,
        updated_at = now()
    where account_id = ${accountId}
      and id = ${id}
    returning ${columns(sql)}
  `
  return row
}

/** For an account that is closed. */
export async function turnOffAllOf(sql: Sql, accountId: number): Promise<void> {
  await sql`
    update automations
    set next_at = null,
        updated_at = now()
    where account_id = ${accountId}
      and next_at is not null
  `
}

/**
 * Later: for one whose account is suspended, or after a failure that is not its own. One that is no longer due has run meanwhile,
 * by another process or by a transaction whose end was not heard: it must not run twice.
 */
export async function putOffAutomation(sql: Sql, { accountId, id }: AutomationKey, seconds: number): Promise<void> {
  await sql`
    update automations
    set next_at = now() + make_interval(secs => ${seconds})
    where account_id = ${accountId}
      and id = ${id}
      and next_at <= now()
  `
}

/** It was tried and comes again at that time. */
export async function setNextRun(
  sql: Sql,
  { accountId, id }: AutomationKey,
  { nextAt, hasRun }: { nextAt: Date | null; hasRun: boolean }
): Promise<void> {
  await sql`
    update automations
    set next_at = ${nextAt},
        last_run_at = ${hasRun ? sql`now()` : sql`last_run_at`}
    where account_id = ${accountId}
      and id = ${id}
  `
}

export async function insertRun(
  sql: Sql,
  { accountId, id }: AutomationKey,
  { dueAt, messageId, problem }: Pick<AutomationRun, 'dueAt' | 'messageId' | 'problem'>
): Promise<void> {
  await sql`
    insert into automation_runs (account_id, automation_id, due_at, message_id, problem)
    values (${accountId}, ${id}, ${dueAt}, ${messageId}, ${problem})
  `
}

export async function countRuns(sql: Sql, { accountId, id }: AutomationKey): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from automation_runs
    where account_id = ${accountId}
      and automation_id = ${id}
  `
  return row.count
}

/** Newest first. */
export async function listRunsOfPage(
  sql: Sql,
  { accountId, id }: AutomationKey,
  window: PageWindow
): Promise<AutomationRun[]> {
  const rows = await sql<AutomationRun[]>`
    select id, due_at, ran_at, message_id, problem
    from automation_runs
    where account_id = ${accountId}
      and automation_id = ${id}
    order by id ${window.isFromEnd ? sql`asc` : sql`desc`}
    offset ${window.offset}
    limit ${window.limit}
  `
  return newestFirst(rows, window)
}

export function deleteOldRuns(sql: Sql, retention: Retention): Promise<number> {
  return deleteOld(sql, { table: 'automation_runs', column: 'ran_at', isIndexed: true }, retention)
}
