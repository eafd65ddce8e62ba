import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: () => call('readMe'), staleTime: 60_000 })

/** The account that is logged in; undefined until it is loaded. */
export const useMe = () => useQuery(meQuery).data
