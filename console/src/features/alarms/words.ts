import type { Formats } from '../../lib/format.ts'
import { defineWords } from '../../lib/language.ts'
import type { Alarm } from './api/alarms.ts'

interface Facts {
  name: string
  value: string
  bound: string
  /** The value as it is. */
  figure: number
}

/** By the whole days that are left; below zero when it is over. */
const endsIn = ({ figure, value }: Facts) =>
  figure < 0 ? 'has ended' : figure === 0 ? 'ends within a day' : `ends in ${value} day${figure === 1 ? '' : 's'}`
const expireDans = ({ figure, value }: Facts) =>
  figure < 0
    ? 'a expiré'
    : figure === 0
      ? 'expire sous 24 heures'
      : `expire dans ${value} jour${figure === 1 ? '' : 's'}`

/** A sentence for each kind of alarm. */
export const alarmWords = defineWords<Record<Alarm['kind'], (facts: Facts) => string>>(
  {
    carrier_down: ({ name }) => `Nothing can be sent through the carrier ${name}`,
    delivery_rate_low: ({ name, value, bound }) => `${name}: ${value} % delivered, ${bound} % in the past week`,
    queue_old: ({ name, value }) => `Messages (${name}) wait for ${value} s for a carrier`,
    webhook_disabled: ({ name }) => `The webhook ${name} was disabled: its receiver does not answer`,
    key_expires: (facts) => `The API key “${facts.name}” ${endsIn(facts)}`,
    certificate_expires: (facts) => `The certificate ${facts.name} ${endsIn(facts)}`,
    disk_low: ({ name, value }) => `The disk of ${name} has ${value} % free`,
    database_large: ({ value, bound }) => `The database has ${value} GB of ${bound} GB`
  },
  {
    carrier_down: ({ name }) => `Rien ne peut être envoyé par l’opérateur ${name}`,
    delivery_rate_low: ({ name, value, bound }) => `${name} : ${value} % délivrés, ${bound} % la semaine passée`,
    queue_old: ({ name, value }) => `Des messages (${name}) attendent un opérateur depuis ${value} s`,
    webhook_disabled: ({ name }) => `Le webhook ${name} a été désactivé : son destinataire ne répond pas`,
    key_expires: (facts) => `La clé d’API « ${facts.name} » ${expireDans(facts)}`,
    certificate_expires: (facts) => `Le certificat ${facts.name} ${expireDans(facts)}`,
    disk_low: ({ name, value }) => `Le disque de ${name} n’a plus que ${value} % de libre`,
    database_large: ({ value, bound }) => `La base de données occupe ${value} Go sur ${bound} Go`
  }
)

export function sentenceOf(
  { kind, name, value, bound }: Pick<Alarm, 'kind' | 'name' | 'value' | 'bound'>,
  { say, formats }: { say: (typeof alarmWords)['en']; formats: Formats }
): string {
  const figure = (number: number | null) => (number === null ? '' : formats.number(number))
  return say[kind]({ name, value: figure(value), bound: figure(bound), figure: value ?? 0 })
}
