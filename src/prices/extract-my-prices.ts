import Type, { type Static } from 'typebox'
import { databaseNow } from '../database/clock.ts'
import { extract } from '../http/extract.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type Price, type PriceBook, PriceRow, type PriceTable, priceRowExamples, toPriceRow } from './price.ts'

const OwnPrice = Type.Object(
  {
    ...PriceRow.properties,
    text_credits: Nullable(
      Type.Integer({
        description:
          'Of `rcs_single` with the built-in prices: what a text takes that is longer than 160 bytes or has buttons. Null: the same as `credits`.'
      })
    )
  },
  { $id: 'OwnPrice' }
)

const examples: Static<typeof OwnPrice>[] = [
  ...priceRowExamples.map((row) => ({ ...row, text_credits: null })),
  { kind: 'rcs_single', prefix: '*', credits: 2, text_credits: 1 }
]

function toOwnPrice(price: Price, table: PriceTable): Static<typeof OwnPrice> {
  const ofText = table.rcs({ type: 'text', isBasic: false }, `+${price.prefix}`)
  const isOther = price.kind === 'rcs_single' && ofText !== undefined && ofText !== price.credits
  return { ...toPriceRow(price), text_credits: isOther ? ofText : null }
}

export const extractMyPrices = (prices: PriceBook) =>
  extract({
    route: 'GET /users/prices',
    id: 'extractMyPrices',
    tag: 'Beyond',
    permission: 'read',
    summary: 'My prices, full extract',
    description:
      'The prices in credits that count for this account now, by kind of message and prefix; the longest prefix counts. As JSON or, with `Accept: text/csv`, as CSV. A number without a price can’t be written to.',
    row: OwnPrice,
    example: { answer: examples },
    async *handle({ caller }) {
      const table = prices.forAccount(caller, databaseNow())
      yield table.list().map((price) => toOwnPrice(price, table))
    }
  })
