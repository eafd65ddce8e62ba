import type { Sql } from '../database/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Account } from './account.ts'
import { findAccount, findSubAccount } from './accounts.store.ts'
import { refuseUnlessOperator } from './operator.ts'

/** Finds an account that is managed from above: any by the operator, a sub-account by its parent. */
export type FindManaged = (sql: Sql, caller: Caller, id: number) => Promise<Account>

export const findForOperator: FindManaged = async (sql, caller, id) => {
  refuseUnlessOperator(caller)
  const account = await findAccount(sql, id)
  if (!account) throw notFound('account')
  return account
}

export const findForParent: FindManaged = async (sql, caller, id) => {
  const account = await findSubAccount(sql, { parentId: caller.accountId, id })
  if (!account) throw notFound('sub-account')
  return account
}

export function refuseClosed({ standing }: Account): void {
  if (standing === 'closed') throw new Refusal(409, 'state_conflict', 'The account is closed, which is final.')
}
