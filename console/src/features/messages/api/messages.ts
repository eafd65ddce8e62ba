import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Message = Schemas['Messages']
export type MessageState = Message['state']
export type Recipient = Schemas['Messages_sms'] | Schemas['Messages_rcs']

export interface MessageFilters {
  state?: MessageState | undefined
  channel?: 'sms' | 'rcs' | undefined
  tag?: string | undefined
  search?: string | undefined
  /** Days, "2026-11-15", of the account's time zone. */
  from?: string | undefined
  to?: string | undefined
}

const LIVE_MS = 1_000
const QUIET_MS = 5_000

/** Whether its state may still change soon. */
export const isLive = ({ state, summary }: Message) => state === 'sending' || (state === 'sent' && summary.sent > 0)

export const messageQuery = (id: number) =>
  queryOptions({
    queryKey: ['messages', id],
    queryFn: () => call('readMessage', { path: { id } }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? LIVE_MS : QUIET_MS)
  })

/** Of a message to segments that has no recipients yet, or never got any. A refused departure changes the message's state. */
export const departureQuery = ({ id, state }: Pick<Message, 'id' | 'state'>) =>
  queryOptions({
    queryKey: ['messages', id, 'departure', state],
    queryFn: () => call('readMessageDeparture', { path: { id } })
  })

/** The content never changes. */
export const shownRcsQuery = (id: number) =>
  queryOptions({
    queryKey: ['messages', id, 'rcs'],
    queryFn: () => call('readRcsMessage', { path: { id } }),
    staleTime: Number.POSITIVE_INFINITY
  })

export const recentMessagesQuery = queryOptions({
  queryKey: ['messages', 'recent'],
  queryFn: () => call('listMessages', { query: { limit: 6 } }),
  refetchInterval: QUIET_MS
})

export const timelineQuery = (id: number, recipientId: number) =>
  queryOptions({
    queryKey: ['messages', id, 'timeline', recipientId],
    queryFn: () => call('readTimeline', { path: { id, recipient_id: recipientId } }),
    refetchInterval: QUIET_MS
  })

/** The number of recipients of a message by state. */
export const countQuery = ({ id, channel }: Message, deliver: number) =>
  queryOptions({
    queryKey: ['messages', id, 'count', deliver],
    queryFn: async () => (await pageRecipients({ id, channel }, { page: 1, limit: 1 }, deliver)).meta.totalItems,
    refetchInterval: QUIET_MS
  })

export function pageRecipients(
  { id, channel }: Pick<Message, 'id' | 'channel'>,
  page: { page: number; limit: number },
  deliver: number | undefined,
  signal?: AbortSignal
): Promise<{ items: Recipient[]; meta: Schemas['paginationMeta'] }> {
  const given = { path: { id }, query: { ...page, deliver }, ...(signal && { signal }) }
  return channel === 'sms' ? call('pageSmsRecipients', given) : call('pageRcsRecipients', given)
}

export const cancelMessage = (id: number) => call('cancelMessage', { path: { id } })
export const pauseMessage = (id: number) => call('pauseMessage', { path: { id } })
export const resumeMessage = (id: number) => call('resumeMessage', { path: { id } })
export const labelMessage = (id: number, body: Schemas['MessageLabels']) => call('labelMessage', { path: { id }, body })

/** What waits, what is on its way, and what expires when. */
export const forecastQuery = (id: number) =>
  queryOptions({
    queryKey: ['messages', id, 'forecast'],
    queryFn: () => call('readForecast', { path: { id } }),
    refetchInterval: QUIET_MS
  })
/** The recipients and the cost of a resend, without sending. */
export const previewResend = async ({ id }: Pick<Message, 'id'>) =>
  (await call('resendMessage', { path: { id }, query: { resumeBefore: true } })) as Schemas['SmsResume']
/** Two clicks send once. Recipients that fail later are another resend, under another key. */
export const resendMessage = async ({ id, summary }: Pick<Message, 'id' | 'summary'>) =>
  (await call('resendMessage', {
    path: { id },
    idempotencyKey: `resend ${id} ${summary.failed}`
  })) as Schemas['SmsStatus']
