import { queryOptions } from '@tanstack/react-query'
import { call, type Operations, type Schemas } from '../../../lib/api.ts'

export type LookView = Schemas['Look']
export type Hosts = Operations['readAccountHosts']['answer']

export const lookQuery = queryOptions({ queryKey: ['look'], queryFn: () => call('readLook') })

export const changeLook = (body: Operations['changeLook']['body']) => call('changeLook', { body })

export const removeLook = () => call('removeLook')

export const hostsQuery = (id: number) =>
  queryOptions({ queryKey: ['accounts', id, 'hosts'], queryFn: () => call('readAccountHosts', { path: { id } }) })

export const changeHosts = (id: number, body: Operations['changeAccountHosts']['body']) =>
  call('changeAccountHosts', { path: { id }, body })
