import type { useFormats } from '../../lib/format.ts'
import { defineWords } from '../../lib/language.ts'
import type { Alarm } from './api/alarms.ts'

interface Facts {
  name: string
  value: string
  bound: string
}

/** A sentence for each kind of alarm. */
export const alarmWords = defineWords<Record<Alarm['kind'], (facts: Facts) => string>>(
  {
    carrier_down: ({ name }) => `Nothing can be sent through the carrier ${name}`,
    delivery_rate_low: ({ name, value, bound }) => `${name}: ${value} % delivered, ${bound} % in the past week`,
    queue_old: ({ name, value }) => `Messages (${name}) wait for ${value} s for a carrier`,
    webhook_disabled: ({ name }) => `The webhook ${name} was disabled: its receiver does not answer`,
    key_expires: ({ name, value }) => `The API key “${name}” ends in ${value} days`,
    certificate_expires: ({ name, value }) => `The certificate ${name} ends in ${value} days`,
    disk_low: ({ name, value }) => `The disk of ${name} has ${value} % free`,
    database_large: ({ value, bound }) => `The database has ${value} GB of ${bound} GB`
  },
  {
    carrier_down: ({ name }) => `Rien ne peut être envoyé par l’opérateur ${name}`,
    delivery_rate_low: ({ name, value, bound }) => `${name} : ${value} % remis, ${bound} % la semaine passée`,
    queue_old: ({ name, value }) => `Des messages (${name}) attendent un opérateur depuis ${value} s`,
    webhook_disabled: ({ name }) => `Le webhook ${name} a été désactivé : son destinataire ne répond pas`,
    key_expires: ({ name, value }) => `La clé d’API « ${name} » expire dans ${value} jours`,
    certificate_expires: ({ name, value }) => `Le certificat ${name} expire dans ${value} jours`,
    disk_low: ({ name, value }) => `Le disque de ${name} n’a plus que ${value} % de libre`,
    database_large: ({ value, bound }) => `La base de données occupe ${value} Go sur ${bound} Go`
  }
)

export function sentenceOf(
  { kind, name, value, bound }: Pick<Alarm, 'kind' | 'name' | 'value' | 'bound'>,
  { say, formats }: { say: (typeof alarmWords)['en']; formats: ReturnType<typeof useFormats> }
): string {
  const figure = (number: number | null) => (number === null ? '' : formats.number(number))
  return say[kind]({ name, value: figure(value), bound: figure(bound) })
}
