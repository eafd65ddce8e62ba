import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, Paginated, pageWindow, toPage } from '../http/paging.ts'
import { countDeliveries, listDeliveriesOfPage } from './deliveries.store.ts'
import { EVENT_TYPES } from './event-type.ts'
import { readPayloads } from './payloads.ts'
import { DELIVERY_STATUSES, deliveryExample, toDeliveryView, WebhookDeliveryView } from './webhook.ts'

export const pageDeliveries = operation({
  route: 'GET /webhooks/deliveries',
  id: 'pageDeliveries',
  tag: 'Webhooks',
  permission: 'read',
  summary: 'Webhook delivery history',
  description: 'The deliveries to webhooks, done and pending, newest first, with the result of the last attempt.',
  query: Type.Object({
    ...PageQuery.properties,
    type: Type.Optional(Type.Enum(EVENT_TYPES)),
    status: Type.Optional(Type.Enum(DELIVERY_STATUSES))
  }),
  answer: Paginated(WebhookDeliveryView, 'WebhookDeliveriesRo'),
  example: {
    answer: {
      items: [deliveryExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller: { accountId }, query, database }) {
    const { type, status, ...page } = query
    const scope = { accountId, type, status }
    const totalItems = await countDeliveries(database, scope)
    const deliveries = await listDeliveriesOfPage(database, scope, pageWindow({ ...page, totalItems }))
    const payloads = await readPayloads(database, accountId, deliveries)
    return toPage(
      deliveries.map((delivery, index) => toDeliveryView(delivery, payloads[index] ?? null)),
      { ...page, totalItems }
    )
  }
})
