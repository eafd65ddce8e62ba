import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import type { Rules } from '../rules.ts'

export type Segment = Schemas['Segment']

export const SEGMENTS = ['segments']

export const pageSegments = (query: { page: number; limit: number; search: string }, signal: AbortSignal) =>
  call('listSegments', { query, signal })

export const segmentQuery = (id: number) =>
  queryOptions({
    queryKey: [...SEGMENTS, id],
    queryFn: ({ signal }) => call('readSegment', { path: { id }, signal })
  })

/** How many people fit rules that may not be stored yet. */
export const countQuery = (rules: Rules, isEnabled: boolean) =>
  queryOptions({
    queryKey: [...SEGMENTS, 'count', rules],
    queryFn: ({ signal }) => call('countRules', { body: rules, signal }),
    enabled: isEnabled,
    retry: false
  })

/** Stores new rules, or those of a segment that is there. */
export const saveSegment = ({ id, ...body }: { id: number | undefined; name: string } & Rules) =>
  id === undefined ? call('createSegment', { body }) : call('updateSegment', { path: { id }, body })

export const deleteSegment = (id: number) => call('deleteSegment', { path: { id } })
