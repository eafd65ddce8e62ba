import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Campaign = Schemas['CalendarCampaign']

/** The campaigns of some days, in the time zone of the account. */
export const calendarQuery = (days: { from: string; to: string }) =>
  queryOptions({ queryKey: ['messages', 'calendar', days], queryFn: () => call('readCalendar', { query: days }) })
