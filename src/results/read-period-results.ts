import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PeriodQuery, readScope } from '../stats/period.ts'
import { PeriodResults, readPeriod } from './period-results.ts'
import { resultsExample } from './rates.ts'

const groupExample = { sent: 2_000, delivered: 1_950, failed: 90, clicked: 312 }

export const readPeriodResults = operation({
  route: 'GET /stats/period',
  id: 'readPeriodResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of a period',
  description:
    'The results of all messages that were due within some days, with their rates, the hours of the week by their clicks, and the recipients by country, carrier, error and link. By default the last 30 days with today; at most 400. Later clicks and receipts are added to the time at which the message was due. These figures stay when the messages are removed.',
  query: Type.Object(PeriodQuery),
  answer: PeriodResults,
  example: {
    answer: {
      totals: { ...resultsExample, read: 0, failed: 90, stopped: 1, credits: 2_001 },
      hours: [{ weekday: 2, hour: 10, ...resultsExample }],
      countries: [{ country: 'FR', recipients: 2_040, ...groupExample }],
      carriers: [{ carrier: 'main', recipients: 2_000, ...groupExample, failed: 50 }],
      errors: [{ error: 'no_receipt', recipients: 50, sent: 50, delivered: 0, failed: 50, clicked: 0 }],
      links: [{ link: 'https://boutique.example/soldes', recipients: 2_040, ...groupExample }]
    }
  },
  mayLag: true,
  handle: ({ caller, query, database }) =>
    readPeriod(database, { ...readScope(caller, query), timeZone: caller.timeZone })
})
