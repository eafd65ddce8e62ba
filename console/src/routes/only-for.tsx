import type { ReactNode } from 'react'
import type { Permission } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

/** A page for people with a permission. For the others there is no such page: no link leads to it. */
export function OnlyFor({ permission, children }: { permission: Permission; children: ReactNode }) {
  const me = useMe()
  if (!me) return <PageLoading />
  return me.permissions.includes(permission) ? children : <NotFound />
}
