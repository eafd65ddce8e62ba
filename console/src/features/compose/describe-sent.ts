import { formatsOf } from '../../lib/format.ts'
import { counted, defineWords, readLanguage } from '../../lib/language.ts'
import type { Sent } from './api/send-message.ts'

const words = defineWords(
  {
    accepted: 'The message is accepted.',
    scheduled: (moment: string) => `The message leaves on ${moment}.`,
    held: (count: number, moment: string) =>
      `${counted('en', count, 'recipient waits', 'recipients wait')} until ${moment} or later: outside the hours allowed for marketing.`
  },
  {
    accepted: 'Le message est accepté.',
    scheduled: (moment: string) => `Le message partira le ${moment}.`,
    held: (count: number, moment: string) =>
      `${counted('fr', count, 'destinataire attend', 'destinataires attendent')} jusqu’au ${moment} ou plus tard : hors des heures autorisées pour le marketing.`
  }
)

/** The time at which a message leaves. The service has it as an English sentence only. */
export function describeSent({ message }: Pick<Sent, 'message'>, timeZone: string): string {
  const say = words[readLanguage()]
  const formats = formatsOf(readLanguage(), timeZone)
  const [, scheduledAt] = /^Scheduled for (\S+)\./.exec(message) ?? []
  const [, count, heldUntil] = /(\d+) held until (\S+) or later/.exec(message) ?? []
  const departure = scheduledAt === undefined ? say.accepted : say.scheduled(formats.moment(scheduledAt))
  return heldUntil === undefined ? departure : `${departure} ${say.held(Number(count), formats.moment(heldUntil))}`
}
