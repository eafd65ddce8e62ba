import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { readToken } from '../../../lib/session.ts'

export type Carrier = Schemas['Carrier']
export type Unmatched = Schemas['UnmatchedReceipt']
export type Account = Schemas['AccountRow']

const LIVE_MS = 2_000

export const carriersQuery = queryOptions({
  queryKey: ['carriers'],
  queryFn: () => call('listCarriers'),
  refetchInterval: LIVE_MS
})

export interface QueueFigures {
  transactionalAge: number
  marketingAge: number
  batches: number
  inDoubt: number
  parked: number
}

/** The queue, from the metrics of the process that answers: these metrics are of all processes. */
export const queueQuery = queryOptions({
  queryKey: ['queue'],
  async queryFn(): Promise<QueueFigures> {
    const response = await fetch('/metrics', { headers: { authorization: `Bearer ${readToken()}` } })
    if (!response.ok) throw new Error(`/metrics: ${response.status}`)
    const text = await response.text()
    const sum = (name: string, label = '') =>
      [...text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? ([0-9.e+-]+)$`, 'gm'))]
        .filter(([, labels = '']) => labels.includes(label))
        .reduce((total, [, , value]) => total + Number(value), 0)
    return {
      transactionalAge: sum('chappe_queue_age_seconds', 'transactional'),
      marketingAge: sum('chappe_queue_age_seconds', 'marketing'),
      batches: sum('chappe_queue_batches'),
      inDoubt: sum('chappe_in_doubt'),
      parked: sum('chappe_receipts_parked')
    }
  },
  refetchInterval: LIVE_MS
})

export type CarrierHistory = Schemas['CarrierHistory']

/** Processes add their figures every ten seconds. */
const HISTORY_MS = 15_000

export const historyQuery = (period: CarrierHistory['period']) =>
  queryOptions({
    queryKey: ['carrier history', period],
    queryFn: () => call('readCarrierHistory', { query: { period } }),
    refetchInterval: HISTORY_MS
  })

export const queueByAgeQuery = queryOptions({
  queryKey: ['queue by age'],
  queryFn: () => call('readQueue'),
  refetchInterval: LIVE_MS * 2
})

export const changeSending = ({ name, sending }: { name: string; sending: Carrier['sending'] }) =>
  call('changeCarrierSending', { path: { name }, body: { sending } })

export type CarrierCapture = Schemas['CarrierCapture']

export const captureQuery = (name: string) =>
  queryOptions({
    queryKey: ['carrier capture', name],
    queryFn: () => call('readCarrierCapture', { path: { name } }),
    refetchInterval: LIVE_MS
  })

export const changeCapture = ({ name, minutes }: { name: string; minutes: number }) =>
  call('changeCarrierCapture', { path: { name }, body: { minutes } })

export type NumberHistory = Schemas['NumberHistory']

/** Every call is written into the audit trail, so nothing asks again by itself. */
export const lookUpNumber = (body: Schemas['NumberLookUp']) => call('lookUpNumber', { body })

export const createAccount = (body: Schemas['AccountCreate']) => call('createAccount', { body })

export const adjustCredits = ({ id, ...body }: Schemas['AccountCredits'] & { id: number }, idempotencyKey: string) =>
  call('adjustAccountCredits', { path: { id }, body, idempotencyKey })

export const testCarrier = ({ name, recipient }: { name: string; recipient: string }, idempotencyKey: string) =>
  call('testCarrier', { path: { name }, body: { recipient }, idempotencyKey })
