import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import {
  CreditRequestPage,
  ReceivedRequestPage,
  RequestStateSchema,
  receivedExample,
  requestExample,
  toReceivedView,
  toRequestView
} from './credit-request.ts'
import { countRequests, listReceived, listRequests } from './credit-requests.store.ts'

const RequestQuery = Type.Object({ ...PageQuery.properties, state: Type.Optional(RequestStateSchema) })

const ONE = { page: 1, limit: 10, totalItems: 1 }

export const listCreditRequests = operation({
  route: 'GET /credit-requests',
  id: 'listCreditRequests',
  tag: 'Beyond',
  permission: 'read',
  summary: 'My requests for credits',
  description: 'The requests of this account, newest first, each with its answer.',
  query: RequestQuery,
  answer: CreditRequestPage,
  example: { answer: toPage([requestExample], ONE) },
  async handle({ caller: { accountId }, query: { state, ...page }, database }) {
    const filter = { accountId, state }
    const totalItems = await countRequests(database, filter)
    const requests = await listRequests(database, filter, pageWindow({ ...page, totalItems }))
    return toPage(requests.map(toRequestView), { ...page, totalItems })
  }
})

export const listReceivedRequests = operation({
  route: 'GET /credit-requests/received',
  id: 'listReceivedRequests',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Requests for credits to answer',
  description:
    'The requests that this account answers, newest first: those of its sub-accounts and, for the operator, of the accounts without one above. With `state=waiting`, `totalItems` tells how many wait.',
  query: RequestQuery,
  answer: ReceivedRequestPage,
  example: { answer: toPage([receivedExample], ONE) },
  async handle({ caller: { accountId: askedId }, query: { state, ...page }, database }) {
    const filter = { askedId, state }
    const totalItems = await countRequests(database, filter)
    const requests = await listReceived(database, filter, pageWindow({ ...page, totalItems }))
    return toPage(requests.map(toReceivedView), { ...page, totalItems })
  }
})
