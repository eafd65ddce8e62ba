import { call, type Schemas } from '../../../lib/api.ts'

export type Alarm = Schemas['Alarm']

export const ALARMS = ['alarms'] as const

export const pageAlarms = (page: { page: number; limit: number }, signal: AbortSignal) =>
  call('listAlarms', { query: page, signal })
