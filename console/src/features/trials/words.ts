import { defineWords } from '../../lib/language.ts'

/** Of every page of trials. */
export const trialWords = defineWords(
  {
    states: {
      scheduled: 'Scheduled',
      testing: 'Testing',
      chosen: 'Decided',
      cancelled: 'Cancelled',
      failed: 'Not sent'
    },
    measures: { clicks: 'Clicks', replies: 'Replies', deliveries: 'Deliveries', hand: 'My choice' }
  },
  {
    states: {
      scheduled: 'Programmé',
      testing: 'En cours',
      chosen: 'Décidé',
      cancelled: 'Annulé',
      failed: 'Non envoyé'
    },
    measures: { clicks: 'Clics', replies: 'Réponses', deliveries: 'Délivrés', hand: 'Mon choix' }
  }
)
