import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Notice = Schemas['Notice']

export const NOTICES = ['notices', 'all'] as const
export const NOTICES_POLL_MS = 30_000

/** How many notices the person has not read. Asked again only while the page is visible. */
export const unreadNoticesQuery = queryOptions({
  queryKey: ['notices', 'unread'],
  queryFn: async ({ signal }) =>
    (await call('listNotices', { query: { unread: true, limit: 1 }, signal })).meta.totalItems,
  refetchInterval: NOTICES_POLL_MS
})

export const pageNotices = (page: { page: number; limit: number }, signal: AbortSignal) =>
  call('listNotices', { query: page, signal })

/** Marks what was just shown as read. Without an answer it stays unread, and the next look marks it. */
export async function markRead(client: QueryClient, shown: readonly Notice[]): Promise<void> {
  const newest = shown.find(({ is_read: isRead }) => !isRead)
  if (!newest) return
  const answer = await call('markNoticesRead', { body: { id: newest.id } }).catch(() => undefined)
  if (answer) client.setQueryData(unreadNoticesQuery.queryKey, answer.unread)
}
