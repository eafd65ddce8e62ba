import { queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../../../lib/api.ts'

/** Everything that is known of a number. */
export type Person = Operations['exportNumber']['answer']

export const personQuery = (number: string) =>
  queryOptions({
    queryKey: ['person', number],
    queryFn: ({ signal }) => call('exportNumber', { path: { number }, signal })
  })
