import Type, { type Static } from 'typebox'
import { findAccount, findSubAccount, lockAccount } from '../accounts/accounts.store.ts'
import type { Callers } from '../accounts/callers.ts'
import { findLimits, upsertLimits } from '../accounts/limits.store.ts'
import { type LimitDefaults, LimitsView, toLimitsView } from '../accounts/limits.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import type { Database, Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, notFound, Refusal } from '../errors.ts'
import type { Act } from '../http/act.ts'
import { type Limits, NO_LIMITS } from '../http/limit.ts'
import { operation } from '../http/operation.ts'
import { hasNumberingPlan } from '../phone-numbers/phone-number.ts'
import { type LimitsOwner, LimitsWithUse, limitsExample, readLimitsOf } from './limit.ts'
import { findLimitsUsed } from './limits-used.store.ts'

const LimitsGiven = Type.Partial(LimitsView, { $id: 'LimitsGiven' })

const body = { requests_per_second: 50, credits_per_day: 10_000, messages_per_number: 5, countries: ['FR', 'BE'] }
const TOO_LOW = {
  state_conflict: 'A limit is below what the account uses already, or the Idempotency-Key is in use.'
}

export const changeAccountLimits = (callers: Callers, defaults: LimitDefaults) =>
  operation({
    route: 'PUT /accounts/{id}/limits',
    id: 'changeAccountLimits',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Set the limits of an account (operator)',
    description:
      'Replaces the limits of any account; one that is not given gets the default of the installation. They hold in every process within a second.',
    body: LimitsGiven,
    missing: findUnknown,
    answer: LimitsWithUse,
    example: { body, answer: limitsExample },
    refusals: { ...OPERATOR_ONLY, ...TOO_LOW },
    async handle({ caller, params, body, database, record, afterCommit }) {
      refuseUnlessOperator(caller)
      afterCommit(() => callers.forget(params.id))
      const find = (sql: Sql) => findAccount(sql, params.id)
      return change(database, { find, noun: 'account', given: body, defaults, record })
    }
  })

export const changeSubAccountLimits = (callers: Callers, defaults: LimitDefaults) =>
  operation({
    route: 'PUT /subaccount/{id}/limits',
    id: 'changeSubAccountLimits',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Set the limits of a sub-account',
    description:
      'Replaces the limits of a sub-account; one that is not given is removed. The limits of this account bind its sub-accounts in any case.',
    body: LimitsGiven,
    missing: findUnknown,
    answer: LimitsWithUse,
    example: { body, answer: limitsExample },
    refusals: TOO_LOW,
    async handle({ caller, params, body, database, record, afterCommit }) {
      afterCommit(() => callers.forget(params.id))
      const find = (sql: Sql) => findSubAccount(sql, { parentId: caller.accountId, id: params.id })
      return change(database, { find, noun: 'sub-account', given: body, defaults, record })
    }
  })

/** A limit that is not given is removed, so a misspelt name would remove it unnoticed. */
function findUnknown(given: object): InputProblem[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(LimitsGiven.properties, name))
  return unknown.map((path) => ({ path, message: 'is not a limit: write one, such as credits_per_day' }))
}

async function change(
  database: Database,
  {
    find,
    noun,
    given,
    defaults,
    record
  }: {
    find(sql: Sql): Promise<LimitsOwner | undefined>
    noun: string
    given: Static<typeof LimitsGiven>
    defaults: LimitDefaults
    record(sql: Sql, act: Act): Promise<void>
  }
): Promise<Static<typeof LimitsWithUse>> {
  const limits = toLimits(given)
  return database.begin(async (database) => {
    const account = await find(database)
    if (!account) throw notFound(noun)
    // Whoever adds a key, a person or a sub-account waits for this lock, and is then counted by the new limit.
    await lockAccount(database, account.id)
    const used = await findLimitsUsed(database, account.id)
    for (const [limit, count, verb, what] of [
      [limits.creditsPerDay, used.creditsToday, 'has spent', 'credits today'],
      [limits.subAccounts, used.subAccounts, 'has', 'sub-accounts'],
      [limits.people, used.people, 'has', 'people'],
      [limits.keys, used.keys, 'has', 'keys'],
      [limits.webhooks, used.webhooks, 'has', 'webhooks']
    ] as const) {
      if (limit !== null && limit < count) throw tooLow(limit, `${verb} ${count} ${what}`)
    }
    const [before, after] = [(await findLimits(database, account.id)) ?? NO_LIMITS, limits].map(toLimitsView)
    await upsertLimits(database, account.id, limits)
    await record(database, { accountId: account.id, changes: changesOf(before, after) })
    return readLimitsOf(database, account, defaults)
  })
}

function toLimits(given: Static<typeof LimitsGiven>): Limits {
  const countries = given.countries ?? null
  const unknown = countries?.findIndex((country) => !hasNumberingPlan(country)) ?? -1
  if (unknown >= 0)
    throw invalidInput([{ path: `countries[${unknown}]`, message: 'must be a country code, such as FR' }])
  return {
    requestsPerSecond: given.requests_per_second ?? null,
    creditsPerDay: given.credits_per_day ?? null,
    messagesPerNumber: given.messages_per_number ?? null,
    countries: countries && [...new Set(countries)].sort(),
    subAccounts: given.sub_accounts ?? null,
    people: given.people ?? null,
    keys: given.keys ?? null,
    webhooks: given.webhooks ?? null
  }
}

function changesOf(before: object | undefined, after: object | undefined): NonNullable<Act['changes']> {
  const old = Object.fromEntries(Object.entries(before ?? {}))
  return Object.fromEntries(Object.entries(after ?? {}).map(([name, value]) => [name, [old[name], value]]))
}

function tooLow(limit: number, used: string): Refusal {
  return new Refusal(409, 'state_conflict', `The account ${used}: a limit of ${limit} is below that.`)
}
