import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type SubAccount = Schemas['subAccount']

export const subAccountQuery = (id: number) =>
  queryOptions({ queryKey: ['sub-accounts', id], queryFn: () => call('readSubAccount', { path: { id } }) })

export const subAccountCreditsQuery = (id: number) =>
  queryOptions({
    queryKey: ['sub-accounts', id, 'credits'],
    queryFn: () => call('readSubAccountCredits', { path: { id } })
  })

export const createSubAccount = (body: Schemas['SubAccountCreateDto']) => call('createSubAccount', { body })

export function moveCredits({
  id,
  ...body
}: Schemas['SubAccountCredits'] & { id: number; direction: 'add' | 'remove' }) {
  const { direction, ...given } = body
  const idempotencyKey = crypto.randomUUID()
  return direction === 'add'
    ? call('addSubAccountCredits', { path: { id }, body: given, idempotencyKey })
    : call('removeSubAccountCredits', { path: { id }, body: given, idempotencyKey })
}

export const changeMode = ({ id, mode }: { id: number; mode: SubAccount['credits_mode'] }) =>
  call('changeCreditsMode', { path: { id }, body: { credits_mode: mode } })
