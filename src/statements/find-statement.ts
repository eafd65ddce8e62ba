import Type from 'typebox'
import type { Account } from '../accounts/account.ts'
import { findAccount, findSubAccount } from '../accounts/accounts.store.ts'
import { databaseNow } from '../database/clock.ts'
import type { Sql } from '../database/database.ts'
import { notFound } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { ID_MAX } from '../schemas/ids.ts'
import type { Issuer } from './issuer.ts'
import { monthOf, nextMonth } from './month.ts'
import type { WholeStatement } from './statement.ts'
import { findLastClosed, findStatement, listBalances, listUses } from './statements.store.ts'
import { sumMonth } from './sum-month.ts'

/** A part of the query of an operation that reads statements or their figures. */
export const READ_ACCOUNT = {
  account: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ID_MAX,
      description: 'A sub-account of this account or, for the operator, any account; this account unless given.'
    })
  )
}

/** The account whose statements are read: the caller's own, one below it, or any for the operator. */
export async function findRead(sql: Sql, caller: Caller, wanted: number | undefined): Promise<Account> {
  const id = wanted ?? caller.accountId
  const isAny = caller.isOperator || id === caller.accountId
  const account = isAny ? await findAccount(sql, id) : await findSubAccount(sql, { parentId: caller.accountId, id })
  if (!account) throw notFound(isAny ? 'account' : 'sub-account')
  return account
}

/** More are not shown: a process that closes no months for years has another problem. */
const PROVISIONAL_MAX = 24

/** The months of an account that are not closed yet, newest first. */
export async function listProvisional(sql: Sql, { createdAt }: Account): Promise<string[]> {
  const last = await findLastClosed(sql)
  const created = monthOf(createdAt)
  const current = monthOf(databaseNow())
  const months: string[] = []
  const first = last !== undefined && nextMonth(last) > created ? nextMonth(last) : created
  for (let month = first; month <= current; month = nextMonth(month)) months.push(month)
  return months.slice(-PROVISIONAL_MAX).reverse()
}

/** The statement of a month, or its sums so far. */
export async function findWholeStatement(
  sql: Sql,
  account: Account,
  month: string,
  issuer: Issuer
): Promise<WholeStatement> {
  const closed = await findStatement(sql, account.id, month)
  if (closed) {
    const balances = await listBalances(sql, account.id, [month])
    return { ...closed, account, closed, balances, uses: await listUses(sql, account.id, month) }
  }
  if (!(await listProvisional(sql, account)).includes(month)) throw notFound('statement')
  return {
    account,
    month,
    closed: undefined,
    accountName: account.socialReason,
    issuerName: issuer.name,
    issuerAddress: issuer.address,
    ...(await sumMonth(sql, account.id, month))
  }
}
