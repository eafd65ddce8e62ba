import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type LimitsWithUse = Schemas['LimitsWithUse']
export type Limits = Schemas['Limits']

/** Whose limits: those of the account that is logged in, of a sub-account, or of any account (operator). */
export type LimitsOwner = { kind: 'me' } | { kind: 'sub-account' | 'account'; id: number }

export const limitsQuery = (owner: LimitsOwner) =>
  queryOptions({
    queryKey: ['limits', owner],
    queryFn: (): Promise<LimitsWithUse> => {
      if (owner.kind === 'me') return call('readLimits')
      const path = { id: owner.id }
      return owner.kind === 'account' ? call('readAccountLimits', { path }) : call('readSubAccountLimits', { path })
    }
  })

/** Replaces all limits; what is absent gets the default. */
export function changeLimits(owner: Exclude<LimitsOwner, { kind: 'me' }>, body: Partial<Limits>) {
  const given = { path: { id: owner.id }, body }
  return owner.kind === 'account' ? call('changeAccountLimits', given) : call('changeSubAccountLimits', given)
}
