import Type, { type Static } from 'typebox'
import type { Sql } from '../database/database.ts'
import { extract } from '../http/extract.ts'
import { PDF_LANGUAGE } from '../reports/report-language.ts'
import { Nullable } from '../schemas/nullable.ts'
import { readBreakdown } from './message-breakdown.ts'
import { writeMessageReport } from './message-report.ts'

const Count = Nullable(Type.Integer())

/** A line of the report: counts of a message in all, or of a part of it. Null: not known of that part. */
const ResultLine = Type.Object(
  {
    by: Type.Enum(['all', 'hour', 'country', 'carrier', 'error']),
    value: Type.String({
      description: 'The hour since it was due, the country, the carrier or the error; empty of `all`.'
    }),
    recipients: Count,
    sent: Count,
    delivered: Count,
    failed: Count,
    clicked: Count,
    replied: Count,
    opted_out: Count
  },
  { $id: 'MessageResultLine' }
)
type ResultLine = Static<typeof ResultLine>

const UNKNOWN = {
  recipients: null,
  sent: null,
  delivered: null,
  failed: null,
  clicked: null,
  replied: null,
  opted_out: null
}

export const extractMessageResults = extract({
  route: 'GET /messages/{id}/results/extract',
  id: 'extractMessageResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of a message, as a file',
  description:
    'The counts of the results of a message, one line for each hour, country, carrier and error: as JSON or, with `Accept: text/csv`, as CSV. With `Accept: application/pdf`, a report for people with charts.',
  query: Type.Object(PDF_LANGUAGE),
  row: ResultLine,
  example: {
    answer: [
      {
        ...UNKNOWN,
        by: 'all',
        value: '',
        recipients: 2_040,
        sent: 2_000,
        delivered: 1_950,
        clicked: 312,
        replied: 20,
        opted_out: 9
      },
      {
        ...UNKNOWN,
        by: 'country',
        value: 'FR',
        recipients: 2_040,
        sent: 2_000,
        delivered: 1_950,
        failed: 90,
        clicked: 312
      }
    ]
  },
  isLongWork: true,
  mayLag: true,
  handle: ({ caller, params, database }) => readLines(database, { accountId: caller.accountId, id: params.id }),
  pdf: {
    description: 'A report with the rates of the message, charts of its hours, and its countries, carriers and errors.',
    async write({ caller: { accountId, timeZone }, params: { id }, query: { language }, database }) {
      return writeMessageReport(await readBreakdown(database, { accountId, id }), { language, timeZone })
    }
  }
})

async function* readLines(sql: Sql, key: { accountId: number; id: number }) {
  const results = await readBreakdown(sql, key)
  const { recipients, sent, delivered, clicked, replied, opted_out } = results
  const line = (by: ResultLine['by'], value: string, counts: Partial<ResultLine>): ResultLine => {
    return { ...UNKNOWN, ...counts, by, value }
  }
  yield [
    line('all', '', { recipients, sent, delivered, clicked, replied, opted_out }),
    ...results.hours.map(({ hour, ...counts }) => line('hour', String(hour), counts)),
    ...results.countries.map(({ country, ...counts }) => line('country', country, counts)),
    ...results.carriers.map(({ carrier, ...counts }) => line('carrier', carrier, counts)),
    ...results.errors.map(({ error, ...counts }) => line('error', error, counts))
  ]
}
