import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { type FindManaged, findForOperator, findForParent, refuseClosed } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import type { PriceBookReader } from './price-book.ts'
import { PricedAccountView, pricedAccountExample, toPricedAccountView } from './price-list.ts'
import {
  deleteAssignedList,
  findAssignedList,
  listPricedAccounts,
  lockPriceList,
  raisePriceRegisterVersion,
  upsertAssignedList
} from './prices.store.ts'

const Body = Type.Object(
  {
    price_list: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: ID_MAX,
        description: 'The id of a list of the caller; null: none of its own.'
      })
    )
  },
  { $id: 'AccountPriceList' }
)

const answer = Type.Object({ price_list: Nullable(PricedAccountView) }, { $id: 'AccountPriceListSet' })
const example = { body: { price_list: 4 }, answer: { price_list: pricedAccountExample } }

const DESCRIPTION =
  'Messages that are accepted from now on take the prices of this list; those that were accepted keep theirs. Without a list of its own, a sub-account has the prices of its parent, and any other account the default list. A sub-account that spends its parent’s credits has its parent’s prices.'

export const setAccountPriceList = (prices: PriceBookReader) =>
  setPriceList(
    {
      route: 'PUT /accounts/{id}/price-list',
      id: 'setAccountPriceList',
      summary: 'Set the price list of an account (operator)',
      refusals: OPERATOR_ONLY
    },
    { prices, find: findForOperator }
  )

export const setSubAccountPriceList = (prices: PriceBookReader) =>
  setPriceList(
    {
      route: 'PUT /subaccount/{id}/price-list',
      id: 'setSubAccountPriceList',
      summary: 'Set the price list of a sub-account',
      refusals: {}
    },
    { prices, find: findForParent }
  )

function setPriceList<Route extends 'PUT /accounts/{id}/price-list' | 'PUT /subaccount/{id}/price-list'>(
  described: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  { prices, find }: { prices: PriceBookReader; find: FindManaged }
) {
  return operation({
    ...described,
    tag: 'Beyond',
    permission: 'account',
    description: DESCRIPTION,
    body: Body,
    answer,
    example,
    refusals: {
      ...described.refusals,
      not_found: 'There is no such account or list.',
      state_conflict: 'The account is closed.'
    },
    async handle({ caller, params, body: { price_list: listId }, database, afterCommit, record }) {
      const { id } = params as { id: number }
      afterCommit(prices.reread)
      return database.begin(async (database) => {
        const account = await find(database, caller, id)
        refuseClosed(account)
        // A list of the operator is for any account, a list of a parent for those below it.
        const list = listId === null ? null : await lockPriceList(database, { of: caller.accountId, id: listId })
        if (list === undefined) throw notFound('price list')
        await lockAccount(database, account.id)
        const before = await findAssignedList(database, account.id)
        if (list) await upsertAssignedList(database, { accountId: id, listId: list.id, setBy: caller.accountId })
        else await deleteAssignedList(database, id)
        await raisePriceRegisterVersion(database)
        await record(database, {
          accountId: id,
          object: { kind: 'account', id },
          changes: { price_list: [before ?? null, list?.id ?? null] }
        })
        const assigned = (await listPricedAccounts(database, { below: 'all' })).find(
          ({ accountId }) => accountId === id
        )
        return { price_list: assigned ? toPricedAccountView(assigned, caller.accountId) : null }
      })
    }
  })
}
