import { infiniteQueryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type AuditEntry = Schemas['AuditEntry']

export interface AuditFilters {
  operation?: string | undefined
  person?: number | undefined
  key?: number | undefined
  from?: string | undefined
  to?: string | undefined
  account?: number | undefined
  all?: boolean | undefined
  sends?: boolean | undefined
}

export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam }) => call('pageAudit', { query: { ...filters, before: pageParam ?? undefined } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next
  })
