import type { ReactNode } from 'react'
import { type Permission, useMay } from '../api/may.ts'

/** What only people with a permission are offered. The service refuses it to the others in any case. */
export function For({ permission, children }: { permission: Permission; children: ReactNode }) {
  return useMay(permission) ? children : null
}
