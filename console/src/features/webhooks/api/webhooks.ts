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

/** The API replaces the whole configuration, so a change starts from the stored one, which the screen may not show yet. */
export async function changeWebhooks(change: (webhooks: Webhook[]) => Schemas['webhookTypeDto'][]) {
  const { webhooks } = await call('readWebhooks')
  return call('replaceWebhooks', { body: { webhooks: change(webhooks) } })
}

export const toGiven = ({ type, url, active, batch_size }: Webhook): Schemas['webhookTypeDto'] => ({
  type,
  url,
  active,
  batch_size
})

export const rotateSecret = () => call('rotateSecret')
export const testWebhook = (type: WebhookType) => call('testWebhook', { body: { type } })
export const replayDelivery = (id: number) => call('replayDelivery', { path: { id } })
