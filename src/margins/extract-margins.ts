import Type, { type Static } from 'typebox'
import { MessageTypeSchema } from '../credits/credit.ts'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { extract } from '../http/extract.ts'
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

type Margin = Static<typeof MarginView>

export const extractMargins = extract({
  route: 'GET /margins',
  id: 'extractMargins',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Margins by account and destination, full extract',
  description:
    'What messages of a period earned, by days of UTC: to the operator by top-level account with its sub-accounts and by sub-account of its own, to a parent by sub-account that spends its own credits. As JSON or, with `Accept: text/csv`, as CSV. Credits count on the day on which they were taken or came back, and costs of carriers on the day on which their message was due, some hours later. A change of currency within the period is a row of its own, and so is a second currency of costs, without credits.',
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
    const sold = new Map((await listSoldByOperator(database, days)).map((row) => [keyOf(row), row]))
    // Costs come some hours after their sales: the first day of a period may have costs alone.
    for (const [key, [first]] of costs) if (first && !sold.has(key)) sold.set(key, soldNothing(first))
    yield [...sold]
      .sort(([, a], [, b]) => compare(a, b))
      .flatMap(([key, row]) => toOperatorRows(row, costs.get(key) ?? []))
  }
})

type Place = Pick<Sold, 'accountId' | 'messageType' | 'country' | 'currency'>

function keyOf({ accountId, messageType, country, currency }: Place): string {
  return `${accountId} ${messageType} ${country} ${currency ?? ''}`
}

function compare(a: Place, b: Place): number {
  const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return (
    a.accountId - b.accountId ||
    a.messageType - b.messageType ||
    byText(a.country, b.country) ||
    byText(a.currency ?? '', b.currency ?? '')
  )
}

function soldNothing({ accountId, name, messageType, country, currency }: Cost): Sold {
  const revenue = currency === null ? null : '0'
  return { accountId, name, messageType, country, credits: 0, currency, revenue, costCurrency: null, cost: null }
}

interface Amount {
  currency: string
  amount: bigint
}

function toParentRow(sold: Sold): Margin {
  const { costCurrency, cost } = sold
  const known = costCurrency !== null && cost !== null ? { currency: costCurrency, amount: BigInt(cost) } : undefined
  return toRow(sold, { cost: known, uncosted: 0 })
}

/** Costs in several currencies have no sum: each further one is a row of its own, without credits. */
function toOperatorRows(sold: Sold, costs: readonly Cost[]): [Margin, ...Margin[]] {
  const uncosted = costs.filter(({ costCurrency }) => costCurrency === '').reduce((sum, { units }) => sum + units, 0)
  const [own, ...others] = costs
    .filter(({ costCurrency }) => costCurrency !== '')
    .map(({ costCurrency: currency, amount }) => ({ currency, amount: BigInt(amount) }))
    .sort((a, b) => Number(b.currency === sold.currency) - Number(a.currency === sold.currency))
  const row = toRow(sold, { cost: own, uncosted })
  if (others.length === 0) return [row]
  const nothing = { ...sold, credits: 0, currency: null, revenue: null }
  return [{ ...row, margin: null }, ...others.map((cost) => toRow(nothing, { cost, uncosted: 0 }))]
}

function toRow(
  { accountId, name, messageType, country, credits, currency, revenue }: Sold,
  { cost, uncosted }: { cost: Amount | undefined; uncosted: number }
): Margin {
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
