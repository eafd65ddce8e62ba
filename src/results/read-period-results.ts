import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { type Figures, listFiguresByHour, NO_FIGURES } from '../stats/figures.store.ts'
import { PeriodQuery, readScope } from '../stats/period.ts'
import { certainRate, resultFields, resultsExample, toResults } from './rates.ts'

const PeriodResults = Type.Object(
  {
    totals: Type.Object({
      ...resultFields,
      read: Type.Integer({ description: 'Recipients who read the message.' }),
      failed: Type.Integer({ description: 'Recipients that were not reached: failed, expired or rejected.' }),
      stopped: Type.Integer({ description: 'Recipients that opted out before the message left.' }),
      credits: Type.Integer({ description: 'Credits charged, less refunds.' })
    }),
    hours: Type.Array(
      Type.Object({
        weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' }),
        hour: Type.Integer({ minimum: 0, maximum: 23, description: 'In the account’s time zone.' }),
        ...resultFields
      }),
      {
        description:
          'The hours of the week in which messages with a tracked link were due, the best first: sorted by the lower end of the 95 % interval of their click rate, so that an hour with few deliveries is not the best by chance.'
      }
    )
  },
  { $id: 'PeriodResults' }
)

export const readPeriodResults = operation({
  route: 'GET /stats/period',
  id: 'readPeriodResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of a period',
  description:
    'The results of all messages that were due within some days, with their rates, and the hours of the week by their clicks. By default the last 30 days with today; at most 400. Later clicks and receipts are added to the time at which the message was due. These figures stay when the messages are removed.',
  query: Type.Object(PeriodQuery),
  answer: PeriodResults,
  example: {
    answer: {
      totals: { ...resultsExample, read: 0, failed: 90, stopped: 1, credits: 2_001 },
      hours: [{ weekday: 2, hour: 10, ...resultsExample }]
    }
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const rows = await listFiguresByHour(database, { ...readScope(caller, query), timeZone: caller.timeZone })
    const totals = rows.reduce<Figures>(add, NO_FIGURES)
    const { read, failed, stopped, credits } = totals
    return {
      totals: { ...toResults(totals), read, failed, stopped, credits },
      hours: rows
        .filter(({ deliveredWithLink }) => deliveredWithLink > 0)
        .map((row) => ({ row, worth: certainRate(row.clicked, row.deliveredWithLink) }))
        .toSorted((a, b) => b.worth - a.worth || a.row.weekday - b.row.weekday || a.row.hour - b.row.hour)
        .map(({ row }) => ({ weekday: row.weekday, hour: row.hour, ...toResults(row) }))
    }
  }
})

function add(sum: Figures, figures: Figures): Figures {
  const names = Object.keys(sum) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + figures[name]])) as unknown as Figures
}
