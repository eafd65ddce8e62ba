import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findDelivery, insertDelivery } from './deliveries.store.ts'
import { listRecords } from './dispatch.store.ts'
import { readPayloads } from './payloads.ts'
import { pendingExample, toDeliveryView, WebhookDeliveryView } from './webhook.ts'
import { findActiveWebhook, lockWebhooksOf, updateTurns } from './webhooks.store.ts'

export const replayDelivery = ({ onQueued }: { onQueued: () => void }) =>
  operation({
    route: 'POST /webhooks/deliveries/{id}/replay',
    id: 'replayDelivery',
    tag: 'Beyond',
    permission: 'webhooks',
    summary: 'Deliver once more',
    description:
      'Makes a new delivery with the same events. It has the same `webhook-id`, by which a receiver recognises events that it has already.',
    answer: WebhookDeliveryView,
    example: { answer: { ...pendingExample, id: 1043 } },
    refusals: { state_conflict: 'Its webhook is gone or not active, or its events were removed after their time.' },
    async handle({ caller: { accountId }, params, database, afterCommit, record }) {
      const replayed = await database.begin(async (database) => {
        // Else its webhook could be removed meanwhile, and the delivery would wait for ever.
        await lockWebhooksOf(database, accountId)
        const delivery = await findDelivery(database, { accountId, id: params.id })
        if (!delivery) throw notFound('delivery')
        const webhook = await findActiveWebhook(database, { accountId, id: delivery.webhookId })
        if (!webhook) throw new Refusal(409, 'state_conflict', 'The webhook of this delivery is gone or not active.')
        const { eventId, eventIds, isTest } = delivery
        const records = await listRecords(database, { accountId, eventIds })
        if (records.size === 0) throw new Refusal(409, 'state_conflict', 'The events of this delivery were removed.')
        const made = await insertDelivery(database, { accountId, webhook, eventId, eventIds, isTest })
        await updateTurns(database, { accountId, ids: [webhook.id] })
        await record(database, { object: { kind: 'delivery', id: delivery.id } })
        return made
      })
      afterCommit(onQueued)
      const [payload = null] = await readPayloads(database, accountId, [replayed])
      return toDeliveryView(replayed, payload)
    }
  })
