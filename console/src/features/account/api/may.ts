import type { Schemas } from '../../../lib/api.ts'
import { useMe } from './me.ts'

export type Permission = Schemas['Me']['permissions'][number]

/** Whether the role of the person allows it; false until the account is loaded. Acts that it does not allow are not offered. */
export function useMay(permission: Permission): boolean {
  return useMe()?.permissions.includes(permission) ?? false
}
