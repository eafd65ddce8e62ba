import { call, type Schemas } from '../../../lib/api.ts'

export type Stop = Schemas['Stops']

export const stopsKey = (search: string) => ['stops', search]

export const pageStops = (query: { page: number; limit: number; search: string }, signal: AbortSignal) =>
  call('listStops', { query, signal })

export const addStop = (recipient: string) => call('addStop', { body: { recipient } })
export const deleteStop = (id: number) => call('deleteStop', { path: { id } })
