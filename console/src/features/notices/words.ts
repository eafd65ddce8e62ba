import type { useFormats } from '../../lib/format.ts'
import { defineWords } from '../../lib/language.ts'
import { alarmWords, sentenceOf } from '../alarms/words.ts'
import type { limitWords } from '../limits/words.ts'
import type { Notice } from './api/notices.ts'

interface Facts {
  name: string
  value: string
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
    message: (id) => `The message #${id}`,
    limit: ({ name, value, bound }) => `Limit “${name}”: ${value} of ${bound} used`,
    balance: ({ name, value, bound }) => `${value} ${name} credits are left, fewer than ${bound}`,
    campaign_finished: ({ name, value }) => `${name} is finished (${value} recipients)`,
    campaign_failed: ({ name }) => `${name} failed: nothing was sent`,
    campaign_late: ({ name }) => `${name} is late for its deadline`,
    credits_asked: ({ name, value }) => `An account asks for ${value} ${name} credits`,
    credits_given: ({ name, value }) => `The ${value} ${name} credits that you asked for were given`,
    credits_declined: ({ name, value }) => `The request for ${value} ${name} credits was declined`
  },
  {
    campaign: (name) => `La campagne « ${name} »`,
    message: (id) => `Le message n° ${id}`,
    limit: ({ name, value, bound }) => `Limite « ${name} » : ${value} sur ${bound} utilisés`,
    balance: ({ name, value, bound }) => `Il reste ${value} crédits ${name}, moins que le seuil de ${bound}`,
    campaign_finished: ({ name, value }) => `${name} : envoi terminé (${value} destinataires)`,
    campaign_failed: ({ name }) => `${name} : échec, rien n’a été envoyé`,
    campaign_late: ({ name }) => `${name} : en retard sur l’échéance`,
    credits_asked: ({ name, value }) => `Un compte demande ${value} crédits ${name}`,
    credits_given: ({ name, value }) => `Les ${value} crédits ${name} demandés ont été accordés`,
    credits_declined: ({ name, value }) => `La demande de ${value} crédits ${name} a été refusée`
  }
)

interface Saying {
  say: (typeof noticeWords)['en']
  alarms: (typeof alarmWords)['en']
  limits: (typeof limitWords)['en']
  formats: ReturnType<typeof useFormats>
}

export function describeNotice(notice: Notice, { say, alarms, limits, formats }: Saying): string {
  const { kind, subject, name, value, bound } = notice
  if (kind === 'alarm') {
    return isAlarm(subject) ? sentenceOf({ kind: subject, name, value, bound }, { say: alarms, formats }) : name
  }
  const figure = (number: number | null) => (number === null ? '' : formats.number(number))
  return say[kind]({ name: nameOf(notice, { say, limits }), value: figure(value), bound: figure(bound) })
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
