import { defineWords } from '../../lib/language.ts'
import type { Delivery, WebhookType } from './api/webhooks.ts'

export const webhookWords = defineWords(
  {
    types: {
      replies: 'Replies',
      stops: 'STOPs',
      sms_status: 'States of SMS',
      rcs_status: 'States of RCS',
      clicks: 'Clicks',
      message_state: 'States of messages',
      limits: 'Limits',
      balances: 'Low balances'
    } as Record<WebhookType, string>,
    status: {
      pending: 'On its way',
      succeeded: 'Delivered',
      retrying: 'Tried again later',
      failed: 'Failed'
    } as Record<Delivery['status'], string>,
    /** Reasons why a webhook was disabled, by the sentence of the API. */
    reasons: {} as Record<string, string>
  },
  {
    types: {
      replies: 'Réponses',
      stops: 'STOP',
      sms_status: 'États des SMS',
      rcs_status: 'États des RCS',
      clicks: 'Clics',
      message_state: 'États des messages',
      limits: 'Limites',
      balances: 'Soldes bas'
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
