import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'

const POLL_MS = 15_000

export const creditsQuery = queryOptions({
  queryKey: ['credits'],
  queryFn: () => call('readCredits'),
  refetchInterval: POLL_MS
})
