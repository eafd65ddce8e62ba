import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import type { UnitPrice } from '../../../lib/money.ts'

const POLL_MS = 15_000

/** The account's own price of a credit of a type, 1 SMS or 2 RCS; undefined where it has none. */
export function useUnitPrice(msgType: 1 | 2): UnitPrice | undefined {
  const credits = useQuery(creditsQuery).data?.find((each) => each.msgType === msgType)
  const { unit_price: price, currency } = credits ?? {}
  return price && currency ? { price, currency } : undefined
}

export const creditsQuery = queryOptions({
  queryKey: ['credits'],
  queryFn: () => call('readCredits'),
  refetchInterval: POLL_MS
})
