import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Conversation = Schemas['Conversation']

const PAGE_SIZE = 50
const POLL_MS = 3_000

/** One conversation per person, the last writer first; older pages on demand. */
export const conversationsQuery = infiniteQueryOptions({
  queryKey: ['replies', 'all'],
  queryFn: ({ pageParam }) => call('pageConversations', { query: { page: pageParam, limit: PAGE_SIZE } }),
  initialPageParam: 1,
  getNextPageParam: ({ meta }) => (meta.currentPage < meta.totalPages ? meta.currentPage + 1 : undefined),
  refetchInterval: POLL_MS
})

/** All messages between the account and one person. */
export const conversationQuery = (number: string) =>
  queryOptions({
    queryKey: ['replies', 'with', number],
    queryFn: () => call('exportNumber', { path: { number } }),
    refetchInterval: POLL_MS
  })

/** One key per reply: another try after a lost answer of the service sends nothing twice. */
export const answer = ({ to, content, key }: { to: string; content: string; key: string }) =>
  call('sendSms', { body: { recipients: [to], content }, idempotencyKey: key })
