import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Webhook = Schemas['WebhookRo']
export type WebhookType = Webhook['type']
export type Delivery = Schemas['WebhookDeliveryRo']

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => call('readWebhooks'),
  refetchInterval: 10_000
})

/** The API replaces the whole configuration: what is not given is gone. */
export const replaceWebhooks = (webhooks: Schemas['webhookTypeDto'][]) =>
  call('replaceWebhooks', { body: { webhooks } })

export const toGiven = ({ type, url, active, batch_size }: Webhook): Schemas['webhookTypeDto'] => ({
  type,
  url,
  active,
  batch_size
})

export const rotateSecret = () => call('rotateSecret')
export const testWebhook = (type: WebhookType) => call('testWebhook', { body: { type } })
export const replayDelivery = (id: number) => call('replayDelivery', { path: { id } })
