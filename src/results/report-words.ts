import { formatsOf, type ReportLanguage } from '../reports/report-language.ts'

/* The words of reports on results, in both languages of the console. */

const EN = {
  results: 'Results',
  sendTime: (moment: string) => `Send time: ${moment}`,
  period: (from: string, to: string) => `Messages due from ${from} to ${to}`,
  messageFacts: (channel: string, sender: string, recipients: string) =>
    `${channel} from ${sender} · ${recipients} recipients`,
  link: 'Tracked link',
  fact: (name: string, value: string) => `${name}: ${value}`,
  channel: (channel: string) => `${channel} only`,
  written: (moment: string) => `Chappe, ${moment}`,
  recipients: 'Recipients',
  sent: 'Sent',
  delivered: 'Delivered',
  failed: 'Failed',
  clicked: 'Clicked',
  replied: 'Replied',
  optedOut: 'Opted out',
  delivery_rate: 'Delivery rate',
  click_rate: 'Click rate',
  reply_rate: 'Reply rate',
  opt_out_rate: 'Opt-out rate',
  of: (count: string, whole: string) => `${count} of ${whole}`,
  deliveriesByHour: 'Deliveries by hour since the send time',
  clicksByHour: 'Clicks by hour since the send time',
  deliveriesByDay: 'Deliveries by day',
  hour: (hour: number) => `+${hour} h`,
  later: 'later',
  country: 'Countries',
  carrier: 'Carriers',
  error: 'Errors',
  links: 'Tracked links',
  bestHours: 'Best hours by past clicks',
  messages: 'Latest messages',
  rates: ['Delivery', 'Clicks', 'Replies', 'Opt-outs'],
  none: 'None'
}

const FR: typeof EN = {
  results: 'Résultats',
  sendTime: (moment) => `Date d’envoi : ${moment}`,
  period: (from, to) => `Messages prévus du ${from} au ${to}`,
  messageFacts: (channel, sender, recipients) => `${channel} de ${sender} · ${recipients} destinataires`,
  link: 'Lien suivi',
  fact: (name, value) => `${name} : ${value}`,
  channel: (channel) => `${channel} seulement`,
  written: (moment) => `Chappe, le ${moment}`,
  recipients: 'Destinataires',
  sent: 'Envoyés',
  delivered: 'Délivrés',
  failed: 'Échecs',
  clicked: 'Clics',
  replied: 'Réponses',
  optedOut: 'Désinscrits',
  delivery_rate: 'Taux de délivrance',
  click_rate: 'Taux de clic',
  reply_rate: 'Taux de réponse',
  opt_out_rate: 'Taux de désinscription',
  of: (count, whole) => `${count} sur ${whole}`,
  deliveriesByHour: 'Messages délivrés par heure depuis l’envoi',
  clicksByHour: 'Clics par heure depuis l’envoi',
  deliveriesByDay: 'Messages délivrés par jour',
  hour: (hour) => `+${hour} h`,
  later: 'après',
  country: 'Pays',
  carrier: 'Opérateurs',
  error: 'Erreurs',
  links: 'Liens suivis',
  bestHours: 'Meilleures heures d’après les clics',
  messages: 'Derniers messages',
  rates: ['Délivrés', 'Clics', 'Réponses', 'Désinscr.'],
  none: 'Aucun'
}

/** The words of a language with its formats, in the account's time zone. */
export function wordsOf(language: ReportLanguage, timeZone: string) {
  return { say: language === 'fr' ? FR : EN, ...formatsOf(language, timeZone) }
}

export type ReportWords = ReturnType<typeof wordsOf>
