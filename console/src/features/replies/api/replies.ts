import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, type Operations, type Schemas } from '../../../lib/api.ts'

export type Conversation = Schemas['Conversation']
export type ConversationChange = Schemas['ConversationChange']
export type ConversationFilters = Pick<
  Operations['pageConversations']['query'],
  'search' | 'closed' | 'unread' | 'assigned_to'
>

const PAGE_SIZE = 50
const POLL_MS = 3_000
/** Whoever works on a conversation sees own changes at once; those of others may come later. */
const STATE_POLL_MS = 10_000
const UNREAD_POLL_MS = 30_000

/** One conversation per person, the last writer first; older pages on demand. */
export const conversationsQuery = (filters: ConversationFilters) =>
  infiniteQueryOptions({
    queryKey: ['replies', 'all', filters],
    queryFn: ({ pageParam, signal }) =>
      call('pageConversations', { query: { ...filters, page: pageParam, limit: PAGE_SIZE }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.currentPage < meta.totalPages ? meta.currentPage + 1 : undefined),
    refetchInterval: POLL_MS
  })

/** How many conversations have a reply that nobody has read. */
export const unreadCountQuery = queryOptions({
  queryKey: ['replies', 'unread'],
  queryFn: async () => (await call('pageConversations', { query: { unread: true, limit: 1 } })).meta.totalItems,
  refetchInterval: UNREAD_POLL_MS
})

/** All messages between the account and one person. */
export const conversationQuery = (number: string) =>
  queryOptions({
    queryKey: ['replies', 'with', number],
    queryFn: () => call('exportNumber', { path: { number } }),
    refetchInterval: POLL_MS
  })

/** Whether it is closed, and whose it is. Null for a number that never replied. */
export const conversationStateQuery = (number: string) =>
  queryOptions({
    queryKey: ['replies', 'state', number],
    queryFn: async () => (await call('pageConversations', { query: { recipient: number, limit: 1 } })).items[0] ?? null,
    refetchInterval: STATE_POLL_MS
  })

export async function changeConversation(
  client: QueryClient,
  { number, change }: { number: string; change: ConversationChange }
): Promise<void> {
  const changed = await call('updateConversation', { path: { number }, body: change })
  const { queryKey } = conversationStateQuery(number)
  // A poll that began before the change would bring the state before it.
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, changed)
  for (const name of ['all', 'unread']) void client.invalidateQueries({ queryKey: ['replies', name] })
}

/** What a reply costs. */
export const replyCostQuery = (to: string, content: string) =>
  queryOptions({
    queryKey: ['dry run', 'reply', to, content],
    queryFn: async ({ signal }) =>
      (await call('sendSms', {
        query: { resumeBefore: true },
        body: { recipients: [to], content },
        signal
      })) as Schemas['SmsResume'],
    retry: false,
    gcTime: 60_000
  })

/** One key per reply: another try after a lost answer of the service sends nothing twice. */
export const answer = ({ to, content, key }: { to: string; content: string; key: string }) =>
  call('sendSms', { body: { recipients: [to], content }, idempotencyKey: key })
