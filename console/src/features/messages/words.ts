import { defineWords } from '../../lib/language.ts'

/** The states of messages and recipients, in plain words. */
export const stateWords = defineWords(
  {
    message: { scheduled: 'Scheduled', sending: 'Sending', sent: 'Sent', cancelled: 'Cancelled', failed: 'Failed' },
    paused: 'Paused',
    summary: {
      waiting: 'Waiting',
      sent: 'Sent, awaiting delivery report',
      delivered: 'Delivered',
      read: 'Read',
      failed: 'Failed',
      stopped: 'Opted out',
      cancelled: 'Cancelled'
    },
    deliver: {
      0: 'Waiting',
      1: 'Delivered',
      2: 'Sent, awaiting delivery report',
      3: 'Failed',
      4: 'Expired',
      5: 'Rejected by the carrier',
      6: 'Cancelled',
      7: 'Opted out',
      8: 'Read'
    } as Record<number, string>
  },
  {
    message: { scheduled: 'Programmé', sending: 'En cours', sent: 'Envoyé', cancelled: 'Annulé', failed: 'Échec' },
    paused: 'En pause',
    summary: {
      waiting: 'En attente',
      sent: 'Envoyé, confirmation en attente',
      delivered: 'Délivré',
      read: 'Lu',
      failed: 'Échec',
      stopped: 'Désinscrit',
      cancelled: 'Annulé'
    },
    deliver: {
      0: 'En attente',
      1: 'Délivré',
      2: 'Envoyé, confirmation en attente',
      3: 'Échec',
      4: 'Expiré',
      5: 'Rejeté par l’opérateur',
      6: 'Annulé',
      7: 'Désinscrit',
      8: 'Lu'
    } as Record<number, string>
  }
)

export const SUMMARY_COLORS = {
  waiting: 'gray.5',
  sent: 'telegraph.4',
  delivered: 'teal.6',
  read: 'teal.9',
  failed: 'red.7',
  stopped: 'orange.6',
  cancelled: 'gray.7'
} as const
