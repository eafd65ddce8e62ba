import Type from 'typebox'
import type { Sql } from '../database/database.ts'
import { readDayRange } from '../http/day-range.ts'
import { EXTRACT_CHUNK, extract } from '../http/extract.ts'
import { PDF_LANGUAGE } from '../reports/report-language.ts'
import { type FiguresScope, listFiguresByDay } from '../stats/figures.store.ts'
import { PeriodQuery, readScope } from '../stats/period.ts'
import { MessageResult, messageResultExample, toMessageResult } from './message-result.ts'
import { listMessageResults } from './message-results.store.ts'
import { writePeriodReport } from './period-report.ts'
import { readPeriod } from './period-results.ts'

/** Messages of the report. */
const MESSAGES_SHOWN = 20

export const extractPeriodResults = extract({
  route: 'GET /stats/messages/extract',
  id: 'extractPeriodResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of messages, full extract',
  description:
    'All messages to two recipients or more that were due within some days and have left, the newest first, each with its results: as JSON or, with `Accept: text/csv`, as CSV. With `Accept: application/pdf`, a report for people about the whole period.',
  query: Type.Object({ ...PeriodQuery, ...PDF_LANGUAGE }),
  row: MessageResult,
  example: { answer: [messageResultExample] },
  mayLag: true,
  handle: ({ caller, query, database }) => readResults(database, readScope(caller, query)),
  pdf: {
    description: `A report with the totals, a chart of the days, the best hours, countries, carriers, errors and links, and the latest ${MESSAGES_SHOWN} messages.`,
    async write({ caller, query: { language, ...query }, database }) {
      const { timeZone } = caller
      const scope = readScope(caller, query)
      const { first, count } = readDayRange(query, timeZone)
      const results = await readPeriod(database, { ...scope, timeZone })
      const byDay = await listFiguresByDay(database, { ...scope, timeZone })
      const messages = await listMessageResults(database, scope, {
        sort: 'due',
        direction: 'desc',
        offset: 0,
        limit: MESSAGES_SHOWN
      })
      const delivered = new Map(byDay.map((row) => [row.day, row.delivered]))
      const days = Array.from({ length: count }, (_, index) => first.add({ days: index }).toString())
      const period = {
        first: first.toString(),
        last: days.at(-1) ?? first.toString(),
        channel: query.channel,
        results,
        days: days.map((day) => ({ day, delivered: delivered.get(day) ?? 0 })),
        messages: messages.map(toMessageResult)
      }
      return writePeriodReport(period, { language, timeZone })
    }
  }
})

const DAY_MS = 86_400_000

/** A day at a time, so that no query sorts more than the messages of a day. */
async function* readResults(sql: Sql, { from, before, ...scope }: FiguresScope) {
  for (let end = before; end > from; end = new Date(end.getTime() - DAY_MS)) {
    const day = { ...scope, from: new Date(Math.max(from.getTime(), end.getTime() - DAY_MS)), before: end }
    for (let offset = 0, isMore = true; isMore; offset += EXTRACT_CHUNK) {
      const page = { sort: 'due', direction: 'desc', offset, limit: EXTRACT_CHUNK } as const
      const rows = await listMessageResults(sql, day, page)
      yield rows.map(toMessageResult)
      isMore = rows.length === EXTRACT_CHUNK
    }
  }
}
