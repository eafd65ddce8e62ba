import Type, { type Static } from 'typebox'
import { type MessageTypeId, MessageTypeSchema } from '../credits/credit.ts'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { extract } from '../http/operation.ts'
import { formatMoney } from '../prices/money.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type Cost, listCostsByAccount, listSoldByOperator, listSoldByParent, type Sold } from './margins.store.ts'

const MarginView = Type.Object(
  {
    account_id: Type.Integer(),
    account_name: Type.String(),
    msgType: MessageTypeSchema,
    country: Nullable(Type.String({ description: 'ISO code of the destination; null where it is unknown.' })),
    credits: Type.Integer({ description: 'Taken for messages, less what came back.' }),
    revenue: Nullable(Type.String({ description: 'Credits by their price in money; null without a price.' })),
    currency: Nullable(Type.String({ description: 'Of the revenue.' })),
    cost: Nullable(
      Type.String({
        description:
          'To the operator what carriers cost, to a parent what its own credits cost; null where it is unknown.'
      })
    ),
    cost_currency: Nullable(Type.String()),
    margin: Nullable(
      Type.String({ description: 'Null unless revenue and cost are known, in one currency and for all units.' })
    ),
    units_without_cost: Type.Integer({ description: 'Segments and RCS that went through a carrier without a cost.' })
  },
  { $id: 'Margin' }
)

export const extractMargins = extract({
  route: 'GET /margins',
  id: 'extractMargins',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Margins by account and destination, full extract',
  description:
    'What messages of a period earned, by days of UTC: to the operator by top-level account with its sub-accounts, to a parent by sub-account that spends its own credits. As JSON or, with `Accept: text/csv`, as CSV. Credits count on the day on which they were taken or came back, and costs of carriers on the day on which their message was due, some hours later. A change of currency within the period is a row of its own.',
  query: Type.Object(DayRangeQuery),
  row: MarginView,
  example: {
    answer: [
      {
        account_id: 7,
        account_name: 'Boutique Lumière',
        msgType: 1,
        country: 'FR',
        credits: 12_000,
        revenue: '570.00',
        currency: 'EUR',
        cost: '390.00',
        cost_currency: 'EUR',
        margin: '180.00',
        units_without_cost: 0
      }
    ]
  },
  mayLag: true,
  async *handle({ caller, query, database }) {
    const { first, count } = readDayRange(query, 'UTC')
    const days = { first: first.toString(), last: first.add({ days: count - 1 }).toString() }
    if (!caller.isOperator) {
      yield (await listSoldByParent(database, caller.accountId, days)).map(toParentRow)
      return
    }
    const costs = Map.groupBy(await listCostsByAccount(database, days), keyOf)
    const seen = new Set<string>()
    yield (await listSoldByOperator(database, days)).map((sold) => {
      // Where the currency of the price has changed, the cost stands beside the first.
      const own = seen.has(keyOf(sold)) ? [] : (costs.get(keyOf(sold)) ?? [])
      seen.add(keyOf(sold))
      return toOperatorRow(sold, own)
    })
  }
})

function keyOf({
  accountId,
  messageType,
  country
}: {
  accountId: number
  messageType: MessageTypeId
  country: string
}) {
  return `${accountId} ${messageType} ${country}`
}

interface Amount {
  currency: string
  amount: bigint
}

function toParentRow(sold: Sold): Static<typeof MarginView> {
  const { costCurrency, cost } = sold
  const known = costCurrency !== null && cost !== null ? { currency: costCurrency, amount: BigInt(cost) } : undefined
  return toRow(sold, { cost: known, uncosted: 0 })
}

function toOperatorRow(sold: Sold, costs: readonly Cost[]): Static<typeof MarginView> {
  const known = costs.filter(({ currency }) => currency !== '')
  const uncosted = costs.filter(({ currency }) => currency === '').reduce((sum, { units }) => sum + units, 0)
  const [only, ...others] = known
  // Costs in several currencies have no sum.
  const cost = only && others.length === 0 ? { currency: only.currency, amount: BigInt(only.amount) } : undefined
  return toRow(sold, { cost, uncosted })
}

function toRow(
  { accountId, name, messageType, country, credits, currency, revenue }: Sold,
  { cost, uncosted }: { cost: Amount | undefined; uncosted: number }
): Static<typeof MarginView> {
  const earned = currency !== null && revenue !== null ? { currency, amount: BigInt(revenue) } : undefined
  const isKnown = earned && cost && earned.currency === cost.currency && uncosted === 0
  return {
    account_id: accountId,
    account_name: name,
    msgType: messageType,
    country: country || null,
    credits,
    revenue: toText(earned),
    currency: earned?.currency ?? null,
    cost: toText(cost),
    cost_currency: cost?.currency ?? null,
    margin: isKnown ? toText({ currency: cost.currency, amount: earned.amount - cost.amount }) : null,
    units_without_cost: uncosted
  }
}

function toText(money: Amount | undefined): string | null {
  return money ? formatMoney(money.amount, money.currency) : null
}
