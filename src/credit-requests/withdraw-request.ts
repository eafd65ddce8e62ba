import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { CreditRequestView, refuseAnswered, requestExample, toRequestView } from './credit-request.ts'
import { lockRequest, updateRequest } from './credit-requests.store.ts'
import { recordRequestEvent } from './tell-request.ts'

export const withdrawCreditRequest = operation({
  route: 'DELETE /credit-requests/{id}',
  id: 'withdrawCreditRequest',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Withdraw a request for credits',
  description:
    'Takes back a request that waits for its answer. The account that was asked gets the event `credit_requests`.',
  answer: CreditRequestView,
  example: { answer: { ...requestExample, state: 'withdrawn', answered_at: '2026-11-15T10:00:00.000Z' } },
  refusals: { state_conflict: 'It was answered or withdrawn before; or the Idempotency-Key is in use.' },
  async handle({ caller: { accountId }, params, database, record }) {
    return database.begin(async (database) => {
      const request = await lockRequest(database, { accountId, id: params.id })
      if (!request) throw notFound('request')
      refuseAnswered(request)
      const withdrawn = await updateRequest(database, request, { state: 'withdrawn', answer: '' })
      await recordRequestEvent(database, withdrawn)
      await record(database, {
        object: { kind: 'credit request', id: request.id },
        changes: { state: [request.state, withdrawn.state] }
      })
      return toRequestView(withdrawn)
    })
  }
})
