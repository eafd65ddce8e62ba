import { operation } from '../http/operation.ts'
import { readBreakdown } from './message-breakdown.ts'
import { MessageResults, messageResultExample } from './message-result.ts'

export const readMessageResults = operation({
  route: 'GET /messages/{id}/results',
  id: 'readMessageResults',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Results of a message',
  description:
    'How many recipients a message reached, how many clicked, replied and opted out, with their rates: in all, by hour since it was due, by country, by carrier and by error. A reply or an opt-out belongs to the last message to that number, see the guide.',
  answer: MessageResults,
  example: {
    answer: {
      ...messageResultExample,
      counted_at: '2026-11-17T09:00:00.000Z',
      hours: [{ hour: 0, delivered: 1_950, clicked: 250, replied: 18, opted_out: 9 }],
      countries: [{ country: 'FR', recipients: 2_040, sent: 2_000, delivered: 1_950, failed: 90, clicked: 312 }],
      carriers: [{ carrier: 'main', recipients: 2_000, sent: 2_000, delivered: 1_950, failed: 50, clicked: 312 }],
      errors: [{ error: 'no_receipt', recipients: 50, sent: 50, delivered: 0, failed: 50, clicked: 0 }]
    }
  },
  isLongWork: true,
  mayLag: true,
  handle: ({ caller, params, database }) => readBreakdown(database, { accountId: caller.accountId, id: params.id })
})
