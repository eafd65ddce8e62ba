import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, toPage } from '../http/paging.ts'
import { PeriodQuery, readScope } from '../stats/period.ts'
import { MessageResult, messageResultExample, toMessageResult } from './message-result.ts'
import { countMessageResults, listMessageResults as listOfPage, MESSAGE_SORTS } from './message-results.store.ts'

export const listMessageResults = operation({
  route: 'GET /stats/messages',
  id: 'listMessageResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of messages',
  description:
    'The messages to two recipients or more that were due within some days and have left, each with its results. By default the last 30 days with today; at most 400.',
  query: Type.Object({
    ...PageQuery.properties,
    ...PeriodQuery,
    sort: Type.Enum(MESSAGE_SORTS, {
      default: 'due',
      description: 'What they are sorted by; those without it come last.'
    }),
    direction: Type.Enum(['asc', 'desc'], { default: 'desc' })
  }),
  answer: Paginated(MessageResult, 'MessageResultPage'),
  example: {
    answer: {
      items: [messageResultExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller, query: { page, limit, sort, direction, ...period }, database }) {
    const scope = readScope(caller, period)
    const totalItems = await countMessageResults(database, scope)
    const rows = await listOfPage(database, scope, { sort, direction, offset: (page - 1) * limit, limit })
    return toPage(rows.map(toMessageResult), { page, limit, totalItems })
  }
})
