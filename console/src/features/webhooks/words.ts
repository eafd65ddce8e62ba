import { defineWords } from '../../lib/language.ts'
import type { Delivery, WebhookType } from './api/webhooks.ts'

export const webhookWords = defineWords(
  {
    types: {
      replies: 'Replies',
      stops: 'Opt-outs (STOP)',
      starts: 'Opt-ins (START)',
      consents: 'Consents',
      sms_status: 'SMS status',
      rcs_status: 'RCS status',
      clicks: 'Clicks',
      message_state: 'Message status',
      limits: 'Limits',
      balances: 'Low balances',
      credit_requests: 'Requests for credits',
      alarms: 'Alarms'
    } satisfies Record<WebhookType, string>,
    status: {
      pending: 'Sending',
      succeeded: 'Delivered',
      retrying: 'Will retry',
      failed: 'Failed'
    } satisfies Record<Delivery['status'], string>
  },
  {
    types: {
      replies: 'Réponses',
      stops: 'Désinscriptions (STOP)',
      starts: 'Réinscriptions (START)',
      consents: 'Consentements',
      sms_status: 'Statuts SMS',
      rcs_status: 'Statuts RCS',
      clicks: 'Clics',
      message_state: 'Statuts des messages',
      limits: 'Limites',
      balances: 'Soldes bas',
      credit_requests: 'Demandes de crédits',
      alarms: 'Alarmes'
    } satisfies Record<WebhookType, string>,
    status: { pending: 'En cours', succeeded: 'Livré', retrying: 'Nouvel essai prévu', failed: 'Échec' }
  }
)
