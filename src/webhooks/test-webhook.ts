import Type from 'typebox'
import type { Database } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { insertDelivery, insertExampleEvent } from './deliveries.store.ts'
import { EVENT_TYPES, type EventType } from './event-type.ts'
import { readPayloads } from './payloads.ts'
import { pendingExample, toDeliveryView, type Webhook, type WebhookDelivery, WebhookDeliveryView } from './webhook.ts'
import { listWebhooks, lockWebhooksOf, updateTurns } from './webhooks.store.ts'

/** A record of each type, as an event holds it. */
export type EventExamples = Record<EventType, object>

export const testWebhook = ({ examples, onQueued }: { examples: EventExamples; onQueued: () => void }) =>
  operation({
    route: 'POST /webhooks/test',
    id: 'testWebhook',
    tag: 'Beyond',
    permission: 'webhooks',
    summary: 'Test a webhook',
    description:
      'Sends an example of an event to every active webhook of its type, signed and retried like any other. The answer is the delivery to the first of them; the history has its result. Its body and its delivery say `test: true`. The event feed does not show examples.',
    body: Type.Object({ type: Type.Enum(EVENT_TYPES) }, { $id: 'WebhookTestDto' }),
    answer: WebhookDeliveryView,
    example: { body: { type: 'clicks' }, answer: { ...pendingExample, test: true } },
    refusals: { state_conflict: 'No active webhook has this type.' },
    async handle({ caller: { accountId }, body: { type }, database, afterCommit, record }) {
      const first = await database.begin(async (database) => {
        // Without the lock a webhook could be removed meanwhile, and its delivery would wait for ever.
        await lockWebhooksOf(database, accountId)
        const webhooks = await listWebhooks(database, accountId)
        const told = webhooks.filter((webhook) => webhook.type === type && webhook.isActive)
        if (told.length === 0) throw new Refusal(409, 'state_conflict', `No active webhook has the type ${type}.`)
        await record(database, { changes: { type: [null, type] } })
        const [first] = await insertExamples(database, accountId, told, { type, record: examples[type] })
        return first as WebhookDelivery
      })
      afterCommit(onQueued)
      const [payload = null] = await readPayloads(database, accountId, [first])
      return toDeliveryView(first, payload)
    }
  })

async function insertExamples(
  database: Database,
  accountId: number,
  webhooks: readonly Webhook[],
  { type, record }: { type: EventType; record: object }
): Promise<WebhookDelivery[]> {
  const id = await insertExampleEvent(database, { accountId, type, record })
  const deliveries: WebhookDelivery[] = []
  for (const webhook of webhooks) {
    deliveries.push(await insertDelivery(database, { accountId, webhook, eventId: null, eventIds: [id], isTest: true }))
  }
  await updateTurns(database, { accountId, ids: webhooks.map(({ id }) => id) })
  return deliveries
}
