import type { MessageTypeId } from '../credits/credit.ts'
import type { Sql } from '../database/database.ts'
import { sumByType, sumByUse, type TypeSums } from './figures.store.ts'
import { daysOf, firstDay, nextMonth } from './month.ts'
import {
  findLastStatement,
  listBalances,
  listMessageTypes,
  listNamesBelow,
  type MonthBalance,
  type MonthUse
} from './statements.store.ts'

/** Before every entry. */
const FIRST_DAY = '1970-01-01'

/** The sums of a month that has no statement. */
export interface MonthSums {
  balances: MonthBalance[]
  uses: MonthUse[]
}

/**
 * Sums up a month from the last statement before it and the figures since. The opening balance is thus the closing balance before;
 * what came between has its place in between.
 */
export async function sumMonth(sql: Sql, accountId: number, month: string): Promise<MonthSums> {
  const last = await findLastStatement(sql, accountId, month)
  const since = last ? firstDay(nextMonth(last.month)) : FIRST_DAY
  const types = await listMessageTypes(sql, accountId)
  const closed = last ? await listBalances(sql, accountId, [last.month]) : []
  const between = await sumByType(sql, accountId, { from: since, before: firstDay(month) })
  const uses = await sumByUse(sql, accountId, daysOf(month))
  const names = new Map((await listNamesBelow(sql, accountId)).map(({ id, name }) => [id, name]))
  return {
    balances: types.map((messageType) => {
      const before = closed.find((row) => row.messageType === messageType)?.closing ?? 0
      const opening = before + changeOf(between.find((row) => row.messageType === messageType))
      return toBalance(messageType, opening, uses)
    }),
    uses: uses.map((use) => ({ ...use, otherName: names.get(use.otherId) ?? '' }))
  }
}

/** The uses are those of one statement of the database: the balance adds up to them, whatever comes meanwhile. */
function toBalance(
  messageType: MessageTypeId,
  opening: number,
  uses: readonly Omit<MonthUse, 'otherName'>[]
): MonthBalance {
  const sums = { messageType, added: 0, removed: 0, used: 0, refunded: 0 }
  for (const use of uses) {
    if (use.messageType !== messageType) continue
    sums.added += use.added
    sums.removed += use.removed
    sums.used += use.used
    sums.refunded += use.refunded
  }
  return { ...sums, opening, closing: opening + changeOf(sums) }
}

function changeOf(sums: TypeSums | undefined): number {
  return sums ? sums.added - sums.removed - sums.used + sums.refunded : 0
}

/** Whether there is nothing to tell: no credits at the beginning, and no movement. */
export function isEmptyMonth({ balances, uses }: MonthSums): boolean {
  return uses.length === 0 && balances.every(({ opening }) => opening === 0)
}
