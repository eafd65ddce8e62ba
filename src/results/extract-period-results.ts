import Type from 'typebox'
import type { Sql } from '../database/database.ts'
import { EXTRACT_CHUNK } from '../http/extract.ts'
import { extract } from '../http/operation.ts'
import type { FiguresScope } from '../stats/figures.store.ts'
import { PeriodQuery, readScope } from '../stats/period.ts'
import { MessageResult, messageResultExample, toMessageResult } from './message-result.ts'
import { listMessageResults } from './message-results.store.ts'

export const extractPeriodResults = extract({
  route: 'GET /stats/messages/extract',
  id: 'extractPeriodResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of messages, full extract',
  description:
    'All messages to two recipients or more that were due within some days and have left, the newest first, each with its results: as JSON or, with `Accept: text/csv`, as CSV.',
  query: Type.Object(PeriodQuery),
  row: MessageResult,
  example: { answer: [messageResultExample] },
  mayLag: true,
  handle: ({ caller, query, database }) => readResults(database, readScope(caller, query))
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
