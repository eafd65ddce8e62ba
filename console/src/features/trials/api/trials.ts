import { queryOptions } from '@tanstack/react-query'
import { call, type Operations, type Schemas } from '../../../lib/api.ts'

export type Trial = Schemas['Trial']
export type TrialSummary = Schemas['TrialSummary']
export type TrialInput = Schemas['TrialDto']
export type TrialPrice = Schemas['TrialResume']

export const TRIALS = ['trials']

/** While something can still happen to it. */
const POLL_MS = 5_000

export const pageTrials = (query: { page: number; limit: number }, signal: AbortSignal) =>
  call('listTrials', { query, signal })

export const trialQuery = (id: number) =>
  queryOptions({
    queryKey: [...TRIALS, id],
    queryFn: ({ signal }) => call('readTrial', { path: { id }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'testing' || data?.state === 'scheduled' ? POLL_MS : false
  })

/** What a trial would cost. Nothing is stored. */
export const trialPriceQuery = (body: TrialInput, isEnabled: boolean) =>
  queryOptions({
    queryKey: [...TRIALS, 'price', body],
    queryFn: async ({ signal }) =>
      (await call('createTrial', { query: { resumeBefore: true }, body, signal })) as TrialPrice,
    enabled: isEnabled,
    retry: false
  })

export const createTrial = async (body: TrialInput, idempotencyKey: string) =>
  (await call('createTrial', { body, idempotencyKey })) as Trial

export const chooseVariant = ({ id, variant }: { id: number; variant: string }) =>
  call('chooseVariant', { path: { id }, body: { variant } as Operations['chooseVariant']['body'] })

export const cancelTrial = (id: number) => call('cancelTrial', { path: { id } })
