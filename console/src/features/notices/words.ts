import type { Formats } from '../../lib/format.ts'
import { counted, defineWords } from '../../lib/language.ts'
import { alarmWords, sentenceOf } from '../alarms/words.ts'
import type { limitWords } from '../limits/words.ts'
import type { Notice } from './api/notices.ts'

interface Facts {
  name: string
  value: string
  /** The value as a number, for the words that depend on it. */
  count: number
  bound: string
}

/** A sentence for each kind of notice; alarms have sentences of their own. */
export const noticeWords = defineWords<
  Record<Exclude<Notice['kind'], 'alarm'>, (facts: Facts) => string> & {
    campaign(name: string): string
    message(id: string): string
  }
>(
  {
    campaign: (name) => `The campaign “${name}”`,
    message: (id) => `Message ${id}`,
    limit: ({ name, value, bound }) => `Limit “${name}”: ${value} of ${bound} used`,
    balance: ({ name, count, bound }) =>
      `${counted('en', count, `${name} credit is left`, `${name} credits are left`)}, fewer than ${bound}`,
    campaign_finished: ({ name, count }) => `${name} is finished (${counted('en', count, 'recipient', 'recipients')})`,
    campaign_failed: ({ name }) => `${name} failed: nothing was sent`,
    campaign_late: ({ name }) => `${name} is late for its deadline`,
    credits_asked: ({ name, count }) =>
      `An account asks for ${counted('en', count, `${name} credit`, `${name} credits`)}`,
    credits_given: ({ name, count }) =>
      `You were given the ${counted('en', count, `${name} credit`, `${name} credits`)} that you asked for`,
    credits_declined: ({ name, count }) =>
      `The request for ${counted('en', count, `${name} credit`, `${name} credits`)} was declined`
  },
  {
    campaign: (name) => `Campagne « ${name} »`,
    message: (id) => `Message ${id}`,
    limit: ({ name, value, bound }) => `Limite « ${name} » : ${value} sur ${bound} utilisés`,
    balance: ({ name, count, bound }) =>
      `Il reste ${counted('fr', count, `crédit ${name}`, `crédits ${name}`)}, moins que le seuil de ${bound}`,
    campaign_finished: ({ name, count }) =>
      `${name} : envoi terminé (${counted('fr', count, 'destinataire', 'destinataires')})`,
    campaign_failed: ({ name }) => `${name} : échec, rien n’a été envoyé`,
    campaign_late: ({ name }) => `${name} : en retard sur l’échéance`,
    credits_asked: ({ name, count }) =>
      `Un compte demande ${counted('fr', count, `crédit ${name}`, `crédits ${name}`)}`,
    credits_given: ({ name, count }) =>
      `Demande accordée : ${counted('fr', count, `crédit ${name}`, `crédits ${name}`)}`,
    credits_declined: ({ name, count }) =>
      `La demande de ${counted('fr', count, `crédit ${name}`, `crédits ${name}`)} a été refusée`
  }
)

interface Saying {
  say: (typeof noticeWords)['en']
  alarms: (typeof alarmWords)['en']
  limits: (typeof limitWords)['en']
  formats: Formats
}

export function describeNotice(notice: Notice, { say, alarms, limits, formats }: Saying): string {
  const { kind, subject, name, value, bound } = notice
  if (kind === 'alarm') {
    return isAlarm(subject) ? sentenceOf({ kind: subject, name, value, bound }, { say: alarms, formats }) : name
  }
  const figure = (number: number | null) => (number === null ? '' : formats.number(number))
  return say[kind]({
    name: nameOf(notice, { say, limits }),
    value: figure(value),
    count: value ?? 0,
    bound: figure(bound)
  })
}

function nameOf({ kind, subject, name }: Notice, { say, limits }: Pick<Saying, 'say' | 'limits'>): string {
  if (kind.startsWith('campaign_')) return name === '' ? say.message(subject) : say.campaign(name)
  const known: unknown = kind === 'limit' && subject in limits ? limits[subject as keyof typeof limits] : undefined
  return typeof known === 'string' ? known : name
}

const isAlarm = (kind: string): kind is keyof (typeof alarmWords)['en'] => kind in alarmWords.en

/** The page that a notice leads to. */
export function pathOf({ kind, subject }: Notice): string {
  if (kind === 'alarm') return '/alarms'
  if (kind === 'limit') return '/settings'
  return kind.startsWith('campaign_') ? `/messages/${subject}` : '/credits'
}
