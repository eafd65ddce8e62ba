import Type from 'typebox'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { operation } from '../http/operation.ts'
import { type Figures, listFiguresByDay } from './figures.store.ts'

const DailyStats = Type.Object(
  {
    day: Type.String({ description: 'YYYY-MM-DD in the account’s time zone.' }),
    sent: Type.Integer({ description: 'Recipients that a carrier accepted, with any result.' }),
    delivered: Type.Integer({ description: 'Recipients with a delivered message, read or not.' }),
    read: Type.Integer({ description: 'Recipients who read the message.' }),
    failed: Type.Integer({ description: 'Recipients that were not reached: failed, expired or rejected.' }),
    stopped: Type.Integer({ description: 'Recipients that opted out before the message left.' }),
    clicked: Type.Integer({ description: 'Recipients that opened the tracked link.' }),
    replied: Type.Integer({ description: 'People who replied.' }),
    credits: Type.Integer({ description: 'Credits charged, less refunds.' })
  },
  { $id: 'DailyStatsRo' }
)

export const readDailyStats = operation({
  route: 'GET /stats/daily',
  id: 'readDailyStats',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Figures by day',
  description:
    'The results of the messages of each day, oldest first, with empty days. A message counts on the day it was due, in the account’s time zone; later clicks and receipts are added to that day. By default the last 30 days with today; at most 400. Figures stay when the messages themselves have had their time.',
  query: Type.Object({
    ...DayRangeQuery,
    channel: Type.Optional(
      Type.Enum(['sms', 'rcs'], {
        description: 'Only messages of this channel; an RCS that fell back to SMS is of RCS.'
      })
    )
  }),
  answer: Type.Array(DailyStats),
  example: {
    answer: [
      {
        day: '2026-11-15',
        sent: 120,
        delivered: 114,
        read: 0,
        failed: 4,
        stopped: 1,
        clicked: 32,
        replied: 5,
        credits: 121
      }
    ]
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { accountId, timeZone } = caller
    const { first, count, from, before } = readDayRange(query, timeZone)
    const rows = await listFiguresByDay(database, {
      accountId,
      timeZone,
      from,
      before,
      channel: query.channel
    })
    const byDay = new Map(rows.map((row) => [row.day, row]))
    return Array.from({ length: count }, (_, index) => {
      const day = first.add({ days: index }).toString()
      return byDay.get(day) ?? { day, ...NO_FIGURES }
    })
  }
})

const NO_FIGURES: Figures = {
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  stopped: 0,
  clicked: 0,
  replied: 0,
  credits: 0
}
