import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type CreditRequest = Schemas['CreditRequest']
export type ReceivedRequest = Schemas['ReceivedCreditRequest']
export type RequestState = CreditRequest['state']

const POLL_MS = 30_000

/** How many requests wait for an answer of this account. */
export const waitingRequestsQuery = queryOptions({
  queryKey: ['credit-requests', 'waiting'],
  queryFn: async () => (await call('listReceivedRequests', { query: { state: 'waiting', limit: 1 } })).meta.totalItems,
  refetchInterval: POLL_MS
})

export const receivedRequestsQuery = (page: { page: number; limit: number; state?: RequestState }) =>
  queryOptions({
    queryKey: ['credit-requests', 'received', page],
    queryFn: () => call('listReceivedRequests', { query: page }),
    refetchInterval: POLL_MS
  })

export const myRequestsQuery = (page: { page: number; limit: number }) =>
  queryOptions({
    queryKey: ['credit-requests', 'mine', page],
    queryFn: () => call('listCreditRequests', { query: page }),
    refetchInterval: POLL_MS
  })

export const askForCredits = (body: Schemas['NewCreditRequest'], idempotencyKey: string) =>
  call('askForCredits', { body, idempotencyKey })

export const withdrawRequest = (id: number) => call('withdrawCreditRequest', { path: { id } })

export const answerRequest = (id: number, body: Schemas['CreditRequestAnswer'], idempotencyKey: string) =>
  call('answerCreditRequest', { path: { id }, body, idempotencyKey })
