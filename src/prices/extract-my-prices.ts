import { databaseNow } from '../database/clock.ts'
import { extract } from '../http/operation.ts'
import { type PriceBook, PriceRow, priceRowExamples, toPriceRow } from './price.ts'

export const extractMyPrices = (prices: PriceBook) =>
  extract({
    route: 'GET /users/prices',
    id: 'extractMyPrices',
    tag: 'Beyond',
    permission: 'read',
    summary: 'My prices, full extract',
    description:
      'The prices in credits that count for this account now, by kind of message and prefix; the longest prefix counts. As JSON or, with `Accept: text/csv`, as CSV. A number without a price can’t be written to.',
    row: PriceRow,
    example: { answer: priceRowExamples },
    async *handle({ caller }) {
      yield prices.forAccount(caller, databaseNow()).list().map(toPriceRow)
    }
  })
