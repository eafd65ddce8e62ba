import { formatsOf } from '../../lib/format.ts'
import { counted, defineWords, readLanguage } from '../../lib/language.ts'
import type { Sent } from './api/send-message.ts'

const words = defineWords(
  {
    accepted: 'Message queued.',
    scheduled: (moment: string) => `Will be sent on ${moment}.`,
    held: (count: number, moment: string) =>
      `${counted('en', count, 'recipient waits', 'recipients wait')} until ${moment} or later: outside the hours allowed for marketing.`
  },
  {
    accepted: 'Envoi lancé.',
    scheduled: (moment: string) => `Envoi prévu le ${moment}.`,
    held: (count: number, moment: string) =>
      `${counted('fr', count, 'destinataire attend', 'destinataires attendent')} jusqu’au ${moment} ou plus tard : hors des heures autorisées pour le marketing.`
  }
)

/** The time at which a message leaves. The service has it as an English sentence only. */
export function describeSent(sent: Pick<Sent, 'message'>, timeZone: string): string {
  const say = words[readLanguage()]
  const formats = formatsOf(readLanguage(), timeZone)
  const { scheduledAt, heldCount, heldUntil } = readSent(sent)
  const departure = scheduledAt === undefined ? say.accepted : say.scheduled(formats.moment(scheduledAt))
  return heldUntil === undefined ? departure : `${departure} ${say.held(heldCount, formats.moment(heldUntil))}`
}

/** Whether some of its recipients leave at once. */
export function hasLeft(sent: Pick<Sent, 'message' | 'recipients_count'>): boolean {
  const { scheduledAt, heldCount } = readSent(sent)
  return scheduledAt === undefined && heldCount < sent.recipients_count
}

function readSent({ message }: Pick<Sent, 'message'>) {
  const [, scheduledAt] = /^Scheduled for (\S+)\./.exec(message) ?? []
  const [, count = 0, heldUntil] = /(\d+) held until (\S+) or later/.exec(message) ?? []
  return { scheduledAt, heldCount: Number(count), heldUntil }
}
