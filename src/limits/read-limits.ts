import { findAccount, findSubAccount } from '../accounts/accounts.store.ts'
import type { LimitDefaults } from '../accounts/limits.ts'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { LimitsWithUse, limitsExample, readLimitsOf } from './limit.ts'

export const readLimits = (defaults: LimitDefaults) =>
  operation({
    route: 'GET /limits',
    id: 'readLimits',
    tag: 'Beyond',
    permission: 'read',
    summary: 'My limits',
    description:
      'The limits of this account and how far they are used. A sub-account is bound by the limits of its parent too, which counts what all of its sub-accounts do.',
    answer: LimitsWithUse,
    example: { answer: limitsExample },
    handle: ({ caller: { accountId: id, isOperator, parentId }, database }) =>
      readLimitsOf(database, { id, isOperator, parentId }, defaults)
  })

export const readAccountLimits = (defaults: LimitDefaults) =>
  operation({
    route: 'GET /accounts/{id}/limits',
    id: 'readAccountLimits',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Limits of an account (operator)',
    description: 'The limits of any account and how far they are used.',
    answer: LimitsWithUse,
    example: { answer: limitsExample },
    refusals: OPERATOR_ONLY,
    async handle({ caller, params, database }) {
      refuseUnlessOperator(caller)
      const account = await findAccount(database, params.id)
      if (!account) throw notFound('account')
      return readLimitsOf(database, account, defaults)
    }
  })

export const readSubAccountLimits = (defaults: LimitDefaults) =>
  operation({
    route: 'GET /subaccount/{id}/limits',
    id: 'readSubAccountLimits',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Limits of a sub-account',
    description: 'The limits of a sub-account and how far they are used.',
    answer: LimitsWithUse,
    example: { answer: limitsExample },
    async handle({ caller, params, database }) {
      const account = await findSubAccount(database, { parentId: caller.accountId, id: params.id })
      if (!account) throw notFound('sub-account')
      return readLimitsOf(database, account, defaults)
    }
  })
