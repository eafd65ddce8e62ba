import type { Schemas } from '../../lib/api-types.ts'
import { SCALE, toDecimal, toMillionths } from '../../lib/money.ts'

/** The fields of a row of margins that are summed. */
export type MarginRow = Pick<
  Schemas['Margin'],
  'credits' | 'revenue' | 'currency' | 'cost' | 'cost_currency' | 'margin' | 'units_without_cost'
>

/** Why there is no margin. */
export type Unknown = 'price' | 'cost' | 'currency'

export interface MarginSum {
  key: string
  /** Of the revenue; null without a price. */
  currency: string | null
  credits: number
  revenue: string | null
  /** One for each currency. */
  costs: { currency: string; cost: string }[]
  /** Null unless every row has one. */
  margin: string | null
  /** The margin as a share of the revenue; null without a margin, and for a revenue of 0. */
  rate: number | null
  unknown: Unknown | undefined
  unitsWithoutCost: number
}

/** Rows by a key and by the currency of their revenue, in the order in which they first come. */
export function sumMargins<Row extends MarginRow>(rows: readonly Row[], keyOf: (row: Row) => string): MarginSum[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify([keyOf(row), row.currency]))
  return [...groups.values()].map((group) => sum(keyOf(group[0] as Row), group))
}

function sum(key: string, rows: readonly MarginRow[]): MarginSum {
  const revenue = addUp(rows.map((row) => row.revenue))
  const margin = addUp(rows.map((row) => row.margin))
  const byCurrency = Map.groupBy(
    rows.filter(({ cost }) => cost !== null),
    (row) => row.cost_currency ?? ''
  )
  return {
    key,
    currency: rows[0]?.currency ?? null,
    credits: rows.reduce((total, { credits }) => total + credits, 0),
    revenue: revenue === undefined ? null : toDecimal(revenue),
    costs: [...byCurrency].map(([currency, some]) => ({
      currency,
      cost: toDecimal(addUp(some.map(({ cost }) => cost)) ?? 0n)
    })),
    margin: margin === undefined ? null : toDecimal(margin),
    rate: margin === undefined || revenue === undefined ? null : share(margin, revenue),
    unknown: margin === undefined ? whyUnknown(rows) : undefined,
    unitsWithoutCost: rows.reduce((total, row) => total + row.units_without_cost, 0)
  }
}

/** Undefined where one is unknown. */
function addUp(amounts: readonly (string | null)[]): bigint | undefined {
  let total = 0n
  for (const amount of amounts) {
    if (amount === null) return undefined
    total += toMillionths(amount)
  }
  return total
}

function whyUnknown(rows: readonly MarginRow[]): Unknown {
  if (rows.some(({ revenue }) => revenue === null)) return 'price'
  const isCosted = (row: MarginRow) => row.cost !== null && row.units_without_cost === 0
  return rows.every(isCosted) ? 'currency' : 'cost'
}

/** Only the last step is a floating point number, for a percentage with one decimal. */
function share(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number((part * SCALE) / whole) / Number(SCALE)
}
