import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'

const POLL_MS = 1_000

/** The messages of a virtual phone, newest first, read again at intervals while it is shown. */
export const phoneQuery = (number: string) =>
  queryOptions({
    queryKey: ['phone', number],
    queryFn: () => call('readPhone', { path: { number } }),
    refetchInterval: POLL_MS,
    retry: false
  })

export const replyFromPhone = ({ number, content }: { number: string; content: string }) =>
  call('replyFromPhone', { path: { number }, body: { content } })
