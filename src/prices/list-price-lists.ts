import Type from 'typebox'
import { notFound } from '../errors.ts'
import { extract } from '../http/extract.ts'
import { operation } from '../http/operation.ts'
import { PriceRow, priceRowExamples, toPriceRow } from './price.ts'
import {
  PricedAccountView,
  PriceListView,
  pricedAccountExample,
  priceListExample,
  readPriceLists,
  toPricedAccountView
} from './price-list.ts'
import {
  listPricedAccounts as listAssigned,
  listPriceLists as listLists,
  listPricesOf,
  listPriceVersions
} from './prices.store.ts'

export const listPriceLists = operation({
  route: 'GET /price-lists',
  id: 'listPriceLists',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Price lists',
  description: 'The price lists that this account made, with all their versions.',
  answer: Type.Array(PriceListView),
  example: { answer: [priceListExample] },
  async handle({ caller, database }) {
    return readPriceLists(database, { of: caller.accountId })
  }
})

export const extractPriceVersion = extract({
  route: 'GET /price-lists/{id}/versions/{version}',
  id: 'extractPriceVersion',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Prices of a version, full extract',
  description:
    'The prices of a version of a list: as JSON or, with `Accept: text/csv`, as a CSV file that can be imported.',
  row: PriceRow,
  example: { answer: priceRowExamples },
  refusals: { not_found: 'There is no such list or version.' },
  async *handle({ caller, params, database }) {
    const list = (await listLists(database, { of: caller.accountId })).find(({ id }) => id === params.id)
    if (!list) throw notFound('price list')
    const version = (await listPriceVersions(database, [list.id])).find(
      ({ number }) => number === Number(params.version)
    )
    if (!version) throw notFound('version')
    yield (await listPricesOf(database, version.id)).map(toPriceRow)
  }
})

export const listPricedAccounts = operation({
  route: 'GET /price-lists/accounts',
  id: 'listPricedAccounts',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Accounts with a price list',
  description:
    'The accounts that have a price list of their own, with the list: to the operator all, to a parent its sub-accounts.',
  answer: Type.Array(PricedAccountView),
  example: { answer: [pricedAccountExample] },
  async handle({ caller, database }) {
    const assigned = await listAssigned(database, { below: caller.isOperator ? 'all' : caller.accountId })
    return assigned.map((one) => toPricedAccountView(one, caller.accountId))
  }
})
