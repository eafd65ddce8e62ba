import { operation } from '../http/operation.ts'
import { EVENT_TYPES } from './event-type.ts'
import { toConfigView, WebhookConfigView, webhookExample } from './webhook.ts'
import { listWebhooks } from './webhooks.store.ts'

export const readWebhooks = operation({
  route: 'GET /webhooks',
  id: 'readWebhooks',
  tag: 'Webhooks',
  permission: 'read',
  summary: 'Configured webhooks of the account',
  description: 'The webhooks of the account, how each of them does, and the types of events there are.',
  answer: WebhookConfigView,
  example: { answer: { webhooks: [webhookExample], available_types: [...EVENT_TYPES] } },
  async handle({ caller, database }) {
    return toConfigView(await listWebhooks(database, caller.accountId))
  }
})
