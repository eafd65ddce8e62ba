import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { OptOutRateView, optOutRateExample, toOptOutRate } from './opt-out-rate.ts'
import { findOptOutsOfMessage } from './opt-outs.store.ts'

export const readMessageOptOuts = operation({
  route: 'GET /messages/{id}/opt-outs',
  id: 'readMessageOptOuts',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Opt-outs of a message',
  description: 'How many people a message reached, and how many opted out in answer to it, by way.',
  answer: OptOutRateView,
  example: { answer: optOutRateExample },
  mayLag: true,
  async handle({ caller, params, database }) {
    const found = await findOptOutsOfMessage(database, { accountId: caller.accountId, id: params.id })
    if (!found) throw notFound('message')
    return toOptOutRate(found)
  }
})
