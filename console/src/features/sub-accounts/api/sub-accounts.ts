import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type SubAccount = Schemas['SubAccountRow']

export const subAccountQuery = (id: number) =>
  queryOptions({ queryKey: ['sub-accounts', id], queryFn: () => call('readSubAccountOverview', { path: { id } }) })

export const subAccountCreditsQuery = (id: number) =>
  queryOptions({
    queryKey: ['sub-accounts', id, 'credits'],
    queryFn: () => call('readSubAccountCredits', { path: { id } })
  })

export const createSubAccount = (body: Schemas['SubAccountCreateDto']) => call('createSubAccount', { body })

export type Movement = Schemas['SubAccountCredits'] & { id: number; direction: 'add' | 'remove' }

export function moveCredits({ id, direction, ...body }: Movement, idempotencyKey: string) {
  return direction === 'add'
    ? call('addSubAccountCredits', { path: { id }, body, idempotencyKey })
    : call('removeSubAccountCredits', { path: { id }, body, idempotencyKey })
}

export const changeMode = ({ id, mode }: { id: number; mode: SubAccount['credits_mode'] }) =>
  call('changeCreditsMode', { path: { id }, body: { credits_mode: mode } })
