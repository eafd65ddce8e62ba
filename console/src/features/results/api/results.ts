import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type MessageResult = Schemas['MessageResult']
export type MessageResults = Schemas['MessageResults']
export type PeriodResults = Schemas['PeriodResults']
export type DailyResult = Schemas['DailyStatsRo']
export type Channel = MessageResult['channel']

export interface Period {
  /** Days, "2026-11-15", of the account's time zone. */
  from?: string | undefined
  to?: string | undefined
  channel?: Channel | undefined
}

/** They are counted from all recipients of a message: not more often than somebody needs it. */
const REFRESH_MS = 60_000

export const messageResultsQuery = (id: number) =>
  queryOptions({
    queryKey: ['messages', id, 'results'],
    queryFn: () => call('readMessageResults', { path: { id } }),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS
  })

export const periodResultsQuery = (period: Period) =>
  queryOptions({
    queryKey: ['stats', 'period', period],
    queryFn: () => call('readPeriodResults', { query: { ...period } }),
    refetchInterval: REFRESH_MS
  })

/** Every day of the period, oldest first. */
export const dailyResultsQuery = (period: Period) =>
  queryOptions({
    queryKey: ['stats', 'daily', period],
    queryFn: () => call('readDailyStats', { query: { ...period } }),
    refetchInterval: REFRESH_MS
  })

export const compareQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['stats', 'compare', ids],
    queryFn: () => call('compareMessages', { query: { messages: ids.join() } }),
    refetchInterval: REFRESH_MS
  })

export const nameOfMessage = ({ name, content, message_id }: MessageResult) => name ?? (content || String(message_id))
