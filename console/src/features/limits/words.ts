import { defineWords } from '../../lib/language.ts'

export const limitWords = defineWords(
  {
    title: 'Limits',
    none: 'No limit',
    of: (used: string, max: string) => `${used} of ${max}`,
    requests_per_second: 'Requests a second',
    credits_per_day: 'Credits a day',
    messages_per_number: 'Messages to one number an hour',
    countries: 'Allowed countries',
    countriesHint: 'Two letters each, such as FR, BE. Empty: all.',
    sub_accounts: 'Sub-accounts',
    people: 'People',
    keys: 'Keys',
    webhooks: 'Webhooks',
    hint: 'Empty: the default of this installation.',
    save: 'Save the limits',
    saved: 'The limits are saved.',
    alerts: 'Warnings of a low balance',
    alertsHint: 'By mail to the owners, and by the event “Low balances”. 0: never.',
    sms: 'Below this number of SMS credits',
    rcs: 'Below this number of RCS credits',
    saveAlerts: 'Save the warnings',
    alertsSaved: 'The warnings are saved.'
  },
  {
    title: 'Limites',
    none: 'Sans limite',
    of: (used: string, max: string) => `${used} sur ${max}`,
    requests_per_second: 'Requêtes par seconde',
    credits_per_day: 'Crédits par jour',
    messages_per_number: 'Messages vers un même numéro par heure',
    countries: 'Pays autorisés',
    countriesHint: 'Deux lettres chacun, comme FR, BE. Vide : tous.',
    sub_accounts: 'Sous-comptes',
    people: 'Personnes',
    keys: 'Clés',
    webhooks: 'Webhooks',
    hint: 'Vide : la valeur par défaut de cette installation.',
    save: 'Enregistrer les limites',
    saved: 'Les limites sont enregistrées.',
    alerts: 'Avertissements de solde bas',
    alertsHint: 'Par e-mail aux propriétaires, et par l’événement « Soldes bas ». 0 : jamais.',
    sms: 'En dessous de ce nombre de crédits SMS',
    rcs: 'En dessous de ce nombre de crédits RCS',
    saveAlerts: 'Enregistrer les avertissements',
    alertsSaved: 'Les avertissements sont enregistrés.'
  }
)

export const COUNTED = ['sub_accounts', 'people', 'keys', 'webhooks'] as const
