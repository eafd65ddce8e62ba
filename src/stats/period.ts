import Type from 'typebox'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import type { Channel } from '../messages/message.ts'
import type { FiguresScope } from './figures.store.ts'

/** The days and the channel of all figures. */
export const PeriodQuery = {
  ...DayRangeQuery,
  channel: Type.Optional(
    Type.Enum(['sms', 'rcs'], {
      description: 'Only messages of this channel; an RCS that fell back to SMS is of RCS.'
    })
  )
}

export function readScope(
  { accountId, timeZone }: { accountId: number; timeZone: string },
  { channel, ...days }: { from?: string; to?: string; channel?: Channel }
): FiguresScope {
  const { from, before } = readDayRange(days, timeZone)
  return { accountId, from, before, channel }
}
