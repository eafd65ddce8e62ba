import { defineWords } from '../../lib/language.ts'
import type { Delivery, WebhookType } from './api/webhooks.ts'

export const webhookWords = defineWords(
  {
    types: {
      replies: 'Replies',
      stops: 'STOPs',
      sms_status: 'SMS status',
      rcs_status: 'RCS status',
      clicks: 'Clicks',
      message_state: 'Message status',
      limits: 'Limits',
      balances: 'Low balances',
      credit_requests: 'Requests for credits',
      alarms: 'Alarms'
    } as Record<WebhookType, string>,
    status: {
      pending: 'Sending',
      succeeded: 'Delivered',
      retrying: 'Will retry',
      failed: 'Failed'
    } as Record<Delivery['status'], string>,
    /** Reasons why a webhook was disabled, by the sentence of the API. */
    reasons: {} as Record<string, string>
  },
  {
    types: {
      replies: 'Réponses',
      stops: 'STOP',
      sms_status: 'Statuts SMS',
      rcs_status: 'Statuts RCS',
      clicks: 'Clics',
      message_state: 'Statuts des messages',
      limits: 'Limites',
      balances: 'Soldes bas',
      credit_requests: 'Demandes de crédits',
      alarms: 'Alarmes'
    } as Record<WebhookType, string>,
    status: { pending: 'En cours', succeeded: 'Livré', retrying: 'Nouvel essai prévu', failed: 'Échec' } as Record<
      Delivery['status'],
      string
    >,
    reasons: {
      'The receiver answered 410 Gone.': 'Le récepteur a répondu 410 (supprimé).',
      'Nothing arrived for five days.': 'Rien n’est arrivé depuis cinq jours.'
    } as Record<string, string>
  }
)
