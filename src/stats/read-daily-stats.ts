import Type from 'typebox'
import { readDayRange } from '../http/day-range.ts'
import { operation } from '../http/operation.ts'
import { listFiguresByDay, NO_FIGURES } from './figures.store.ts'
import { PeriodQuery, readScope } from './period.ts'

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
    credits: Type.Integer({ description: 'Credits charged, less refunds.' }),
    opted_out: Type.Integer({ description: 'People who opted out in answer to the messages.' }),
    delivered_with_link: Type.Integer({
      description: 'Of `delivered`, those whose message had a tracked link: only they can have clicked.'
    })
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
  query: Type.Object(PeriodQuery),
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
        credits: 121,
        opted_out: 1,
        delivered_with_link: 98
      }
    ]
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { timeZone } = caller
    const { first, count } = readDayRange(query, timeZone)
    const rows = await listFiguresByDay(database, { ...readScope(caller, query), timeZone })
    const byDay = new Map(rows.map((row) => [row.day, row]))
    return Array.from({ length: count }, (_, index) => {
      const day = first.add({ days: index }).toString()
      const { optedOut, deliveredWithLink, ...figures } = byDay.get(day) ?? { day, ...NO_FIGURES }
      return { ...figures, opted_out: optedOut, delivered_with_link: deliveredWithLink }
    })
  }
})
