import Type from 'typebox'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { operation } from '../http/operation.ts'
import { OptOutRateView, optOutRateExample, toOptOutRate } from './opt-out-rate.ts'
import { listOptOutsByMessage, listOptOutsBySender } from './opt-outs.store.ts'

const ROWS_MAX = 1_000

export const readOptOutRates = operation({
  route: 'GET /stops/rates',
  id: 'readOptOutRates',
  tag: 'Beyond',
  permission: 'read',
  summary: 'How many people opt out',
  description:
    'Of the messages that were due within some days: how many people they reached, and how many opted out in answer. By sender, those with the most opt-outs first; or by message, the newest first, those without opt-outs left out. At most 1,000 rows.',
  query: Type.Object({
    by: Type.Enum(['sender', 'message'], { default: 'sender', description: 'A row for each sender, or each message.' }),
    ...DayRangeQuery
  }),
  answer: Type.Array(OptOutRateView),
  example: { answer: [{ ...optOutRateExample, message_id: null, messages: 3 }] },
  mayLag: true,
  async handle({ caller: { accountId, timeZone }, query, database }) {
    const { from, before } = readDayRange(query, timeZone)
    const scope = { accountId, from, before, limit: ROWS_MAX }
    const rows =
      query.by === 'message' ? await listOptOutsByMessage(database, scope) : await listOptOutsBySender(database, scope)
    return rows.map(toOptOutRate)
  }
})
