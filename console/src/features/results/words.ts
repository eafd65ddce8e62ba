import { defineWords } from '../../lib/language.ts'

/** The names of counts and rates. */
export const resultWords = defineWords(
  {
    recipients: 'Recipients',
    sent: 'Sent',
    delivered: 'Delivered',
    failed: 'Failed',
    clicked: 'Clicked',
    replied: 'Replied',
    opted_out: 'Opted out',
    delivery_rate: 'Delivery rate',
    click_rate: 'Click rate',
    reply_rate: 'Reply rate',
    opt_out_rate: 'Opt-out rate',
    pdf: 'Report as PDF',
    fact: (name: string, value: string) => `${name}: ${value}`
  },
  {
    recipients: 'Destinataires',
    sent: 'Envoyés',
    delivered: 'Délivrés',
    failed: 'Échecs',
    clicked: 'Clics',
    replied: 'Réponses',
    opted_out: 'Désinscrits',
    delivery_rate: 'Taux de délivrance',
    click_rate: 'Taux de clic',
    reply_rate: 'Taux de réponse',
    opt_out_rate: 'Taux de désinscription',
    pdf: 'Rapport en PDF',
    fact: (name: string, value: string) => `${name} : ${value}`
  }
)

/** What happens to messages over time. */
export const HAPPENING_COLORS = {
  delivered: 'teal.6',
  clicked: 'telegraph.6',
  replied: 'grape.6',
  opted_out: 'orange.6'
} as const
export type Happening = keyof typeof HAPPENING_COLORS

/** Each rate, and the count that it is of. */
export const RATES = {
  delivery_rate: 'delivered',
  click_rate: 'clicked',
  reply_rate: 'replied',
  opt_out_rate: 'opted_out'
} as const
export type RateName = keyof typeof RATES
export const RATE_NAMES = Object.keys(RATES) as RateName[]
