import Type from 'typebox'
import type { OurNumbers } from '../compliance/sender.ts'
import { operation } from '../http/operation.ts'
import { listGrants } from '../numbers/number-grants.store.ts'
import { NumberView, numberExample, viewsOf } from './number.ts'

export const listNumbers = (numbers: OurNumbers) =>
  operation({
    route: 'GET /numbers',
    id: 'listNumbers',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Numbers and short codes of this service',
    description:
      'The numbers of the carriers file that the account may send from; for the operator all of them, with the accounts that they are granted to. A STOP to a shared number opts out for each account that wrote to that phone from it.',
    answer: Type.Array(NumberView),
    example: { answer: [numberExample] },
    async handle({ caller, database }) {
      const views = viewsOf(numbers.ourNumbers, await listGrants(database))
      if (caller.isOperator) return views
      return views
        .filter(({ accounts }) => {
          return accounts.length === 0 || accounts.some(({ id }) => id === caller.accountId || id === caller.parentId)
        })
        .map((view) => ({ ...view, accounts: [] }))
    }
  })
