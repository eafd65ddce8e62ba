import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'

const REFRESH_MS = 15_000

/** The last 30 days, oldest first; the last is today. */
export const dailyStatsQuery = queryOptions({
  queryKey: ['stats', 'daily'],
  queryFn: () => call('readDailyStats', {}),
  refetchInterval: REFRESH_MS
})
