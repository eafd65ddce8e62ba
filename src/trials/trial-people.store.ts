import { copyRows } from '../database/copy-rows.ts'
import type { Sql } from '../database/database.ts'
import type { TrialKey } from './trials.store.ts'

/** The variant of those who wait for the choice. */
export const REST = 0

export interface TrialPerson {
  /** From 1, or `REST`. */
  variant: number
  phone: string
  /** The values of the trial's variables. */
  values: readonly (string | undefined)[]
}

export async function insertTrialPeople(
  sql: Sql,
  { accountId, id }: TrialKey,
  people: readonly TrialPerson[]
): Promise<void> {
  await copyRows(
    sql,
    { table: 'trial_people', columns: ['account_id', 'trial_id', 'variant', 'phone', 'field_values'] },
    (async function* () {
      yield people.map(({ variant, phone, values }) => [
        accountId,
        id,
        variant,
        phone,
        JSON.stringify(values.map((value) => value ?? null))
      ])
    })()
  )
}

const PAGE = 2_000

/** The people of a variant in the order of their numbers, a page at a time. */
export async function* readTrialPeople(
  sql: Sql,
  { accountId, id }: TrialKey,
  variant: number
): AsyncGenerator<{ phone: string; fieldValues: (string | null)[] }[]> {
  let last = ''
  while (true) {
    const rows = await sql<{ phone: string; fieldValues: (string | null)[] }[]>`
      select phone, field_values
      from trial_people
      where account_id = ${accountId}
        and trial_id = ${id}
        and variant = ${variant}
        and phone > ${last}
      order by phone
      limit ${PAGE}
    `
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = rows.at(-1)?.phone ?? ''
  }
}

/** Deletes the people who were tested: their messages have them. */
export async function deleteTestedPeople(sql: Sql, { accountId, id }: TrialKey): Promise<void> {
  await sql`
    delete from trial_people
    where account_id = ${accountId}
      and trial_id = ${id}
      and variant > ${REST}
  `
}

export async function deleteTrialPeople(sql: Sql, { accountId, id }: TrialKey): Promise<void> {
  await sql`
    delete from trial_people
    where account_id = ${accountId}
      and trial_id = ${id}
  `
}

/** For the erasure of a number. */
export async function deleteFromTrials(
  sql: Sql,
  { accountId, phone }: { accountId: number; phone: string }
): Promise<void> {
  await sql`
    delete from trial_people
    where account_id = ${accountId}
      and trial_id in (select id from trials where account_id = ${accountId} and state = 'testing')
      and variant = ${REST}
      and phone = ${phone}
  `
}
