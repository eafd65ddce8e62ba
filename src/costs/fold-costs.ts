import { MESSAGE_TYPES } from '../credits/credit.ts'
import { hasMoneyPrices } from '../credits/credit-money.store.ts'
import type { Sql } from '../database/database.ts'
import { countryPrefix } from '../phone-numbers/phone-number.ts'
import { Prefixes } from '../prices/prefixes.ts'
import {
  addCostFigures,
  type CarrierCost,
  type CostFigure,
  listCosts,
  listStillUnfolded,
  listTaken,
  type TakenGroup
} from './costs.store.ts'

/**
 * Adds what carriers cost for messages that are about to be folded, by the costs of now. Must run between the lock of the messages
 * and the fold, so that each message is added once. Before the first import all units are added without a cost, so that no margin
 * leaves them out; while no credit has a price either, there are no margins, and nothing is read.
 */
export async function foldCosts(sql: Sql, due: readonly { accountId: number; id: number }[]): Promise<void> {
  const costs = await listCosts(sql)
  if (costs.length === 0 && !(await hasMoneyPrices(sql))) return
  const find = createFind(costs)
  const digits = Math.max(0, ...costs.map(({ prefix }) => prefix.length))
  const messages = await listStillUnfolded(sql, due)
  const figures = new Map<string, CostFigure>()
  for (const [accountId, some] of Map.groupBy(messages, (one) => one.accountId)) {
    const days = new Map(some.map(({ id, day }) => [id, day]))
    for (const taken of await listTaken(sql, { accountId, ids: [...days.keys()], digits })) {
      addTaken(figures, { accountId, day: days.get(taken.messageId) ?? '', taken, cost: find(taken) })
    }
  }
  if (figures.size > 0) await addCostFigures(sql, [...figures.values()])
}

function addTaken(
  figures: Map<string, CostFigure>,
  { accountId, day, taken, cost }: { accountId: number; day: string; taken: TakenGroup; cost: FoundCost | undefined }
): void {
  const { country, channel, units } = taken
  const currency = cost?.currency ?? ''
  const key = `${accountId} ${day} ${channel} ${country} ${currency}`
  const figure = figures.get(key) ?? {
    accountId,
    day,
    messageType: MESSAGE_TYPES[channel],
    country,
    currency,
    units: 0,
    amount: 0n
  }
  figure.units += units
  figure.amount += BigInt(cost?.amount ?? 0) * BigInt(units)
  figures.set(key, figure)
}

interface FoundCost {
  currency: string
  amount: number
}

/** The cost of the longest prefix, by carrier and channel. Costs of one carrier are in one currency. */
function createFind(costs: readonly CarrierCost[]) {
  const byCarrier = Map.groupBy(costs, ({ carrier, channel }) => `${channel} ${carrier}`)
  const tables = new Map(
    [...byCarrier].map(([key, some]) => {
      const prefixes = new Prefixes(some.map(({ prefix, amount }) => [prefix, amount] as const))
      return [key, { currency: some[0]?.currency ?? '', prefixes }]
    })
  )
  return ({ carrier, channel, country, beginning }: TakenGroup): FoundCost | undefined => {
    const table = tables.get(`${channel} ${carrier}`)
    // The number may have been erased since: its country is left.
    const amount = table?.prefixes.find(beginning || countryPrefix(country))
    return table && amount !== undefined ? { currency: table.currency, amount } : undefined
  }
}
