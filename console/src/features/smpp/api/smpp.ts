import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type SmppCredential = Schemas['SmppCredential']
export type NewSmppCredential = Schemas['NewSmppCredential']
export type SmppBind = Schemas['SmppBind']
export type SmppServer = Schemas['SmppServer']

const LIVE_MS = 5_000

export const smppServerQuery = queryOptions({ queryKey: ['smpp-server'], queryFn: () => call('readSmppServer') })

export const credentialsQuery = queryOptions({
  queryKey: ['smpp-credentials'],
  queryFn: () => call('listSmppCredentials'),
  refetchInterval: LIVE_MS
})

/** For the operator, the binds of all accounts. */
export const bindsQuery = queryOptions({
  queryKey: ['smpp-binds'],
  queryFn: () => call('listSmppBinds'),
  refetchInterval: LIVE_MS
})

/** The host to bind to: that of the console, unless the service names one. */
export const hostOf = ({ host }: SmppServer): string => host ?? window.location.hostname
