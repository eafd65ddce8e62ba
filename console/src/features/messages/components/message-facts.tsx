import { Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call, download } from '../../../lib/api.ts'
import { describeSeconds } from '../../../lib/describe-seconds.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { ExportButton } from '../../../ui/export-button.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { useMe } from '../../account/api/me.ts'
import type { Message } from '../api/messages.ts'

const words = defineWords(
  {
    replaces: 'Replaces message',
    replacedBy: 'Replaced by message',
    resendOf: 'Resend of message',
    validity: 'Valid for',
    until: (validity: string, moment: string) => `${validity}, until ${moment}`,
    deadline: 'Deadline',
    late: 'Late since',
    pace: 'Recipients per hour',
    priority: 'Priority',
    low: 'Low',
    high: 'High',
    flash: 'Flash message',
    yes: 'Yes',
    octets: 'Binary data',
    header: 'Header',
    facts: 'Details',
    channel: 'Channel',
    credits: 'Credits',
    refunded: (all: string, refunded: string) => `${all}, ${refunded} refunded`,
    from: 'Sender',
    departure: 'Send time',
    category: 'Message type',
    transactional: 'Transactional',
    marketing: 'Marketing',
    link: 'Tracked link',
    optOuts: 'Opt-outs',
    proof: 'Export the consents',
    reference: 'Your reference'
  },
  {
    replaces: 'Remplace le message',
    replacedBy: 'Remplacé par le message',
    resendOf: 'Renvoi du message',
    validity: 'Validité',
    until: (validity: string, moment: string) => `${validity}, jusqu’au ${moment}`,
    deadline: 'Échéance',
    late: 'En retard depuis',
    pace: 'Destinataires par heure',
    priority: 'Priorité',
    low: 'Basse',
    high: 'Haute',
    flash: 'Message flash',
    yes: 'Oui',
    octets: 'Données binaires',
    header: 'En-tête',
    facts: 'Détails',
    channel: 'Canal',
    credits: 'Crédits',
    refunded: (all: string, refunded: string) =>
      `${all}, dont ${refunded} ${refunded === '1' ? 'remboursé' : 'remboursés'}`,
    from: 'Expéditeur',
    departure: 'Date d’envoi',
    category: 'Type de message',
    transactional: 'Transactionnel',
    marketing: 'Marketing',
    link: 'Lien suivi',
    optOuts: 'Désinscriptions',
    proof: 'Exporter les consentements',
    reference: 'Votre référence'
  }
)

/** What was asked for, and what came of it in credits and opt-outs. */
export function MessageFacts({ message }: { message: Message }) {
  const say = useWords(words)
  const language = useLanguage()
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const { data: left } = useQuery({
    queryKey: ['message', message.id, 'opt-outs'],
    queryFn: ({ signal }) => call('readMessageOptOuts', { path: { id: message.id }, signal })
  })
  const optOuts = left && formats.number(left.opt_outs)
  const required = formats.number(message.credits_required)
  const refunded = message.credits_refunded
  const validity =
    message.validity === undefined
      ? null
      : say.until(describeSeconds(message.validity, language), formats.moment(message.expires_at ?? ''))
  const rows: [string, string | null][] = [
    [say.channel, message.channel.toUpperCase()],
    [say.from, message.sender],
    [say.category, say[message.category]],
    [say.departure, formats.moment(message.scheduletimestamp)],
    [say.credits, refunded > 0 ? say.refunded(required, formats.number(refunded)) : required],
    [say.link, message.shorturl_url],
    [say.optOuts, optOuts ?? null],
    [say.reference, message.external_id],
    [say.resendOf, message.resend_of === null ? null : String(message.resend_of)],
    [say.replaces, message.replaces === undefined ? null : String(message.replaces)],
    [say.replacedBy, message.replaced_by === undefined ? null : String(message.replaced_by)],
    [say.validity, validity],
    [say.deadline, message.deadline === undefined ? null : formats.moment(message.deadline)],
    [say.late, message.late_at === undefined ? null : formats.moment(message.late_at)],
    [say.pace, message.spread ? formats.number(message.spread.per_hour) : null],
    [say.priority, message.priority ? say[message.priority] : null],
    [say.flash, message.flash ? say.yes : null],
    [say.octets, message.binary?.data ?? null],
    [say.header, message.binary?.udh || null]
  ]
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={say.facts}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say.facts}
        </Title>
        {message.channel === 'sms' && !message.binary && <Text className="words">{message.content}</Text>}
        <Facts rows={rows} nameWidth={130} />
        {message.category === 'marketing' && (
          <ExportButton
            label={say.proof}
            fetchFile={() => download('extractMessageConsents', { id: message.id })}
            name={`consents-${message.id}.csv`}
          />
        )}
      </Stack>
    </Paper>
  )
}
