import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Reply = Schemas['Reponses']

const PAGE_SIZE = 100
const POLL_MS = 3_000

/** Newest first; more as one goes back. */
export const repliesQuery = infiniteQueryOptions({
  queryKey: ['replies', 'all'],
  queryFn: ({ pageParam }) => call('pageReplies', { query: { page: pageParam, limit: PAGE_SIZE } }),
  initialPageParam: 1,
  getNextPageParam: ({ meta }) => (meta.currentPage < meta.totalPages ? meta.currentPage + 1 : undefined),
  refetchInterval: POLL_MS
})

/** All that was said between us and one person. */
export const conversationQuery = (number: string) =>
  queryOptions({
    queryKey: ['replies', 'with', number],
    queryFn: () => call('exportNumber', { path: { number } }),
    refetchInterval: POLL_MS
  })

/** The key is made once for an answer: a try after a lost answer of the service sends nothing twice. */
export const answer = ({ to, content, key }: { to: string; content: string; key: string }) =>
  call('sendSms', { body: { recipients: [to], content }, idempotencyKey: key })

export interface Conversation {
  phone: string
  last: Reply
  count: number
  isStopped: boolean
}

/** One line for each person, by who wrote last. */
export function toConversations(replies: readonly Reply[]): Conversation[] {
  const conversations = new Map<string, Conversation>()
  for (const reply of replies) {
    const known = conversations.get(reply.recipient)
    if (!known)
      conversations.set(reply.recipient, { phone: reply.recipient, last: reply, count: 1, isStopped: reply.is_stop })
    else {
      known.count++
      known.isStopped ||= reply.is_stop
    }
  }
  return [...conversations.values()]
}
