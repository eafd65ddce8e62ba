import { Box, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { countQuery, type Message } from '../api/messages.ts'

const words = defineWords(
  {
    left: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    clicked: 'Clicked',
    replied: 'Replied',
    stopped: 'Opted out before sending',
    failed: 'Failed',
    expired: 'of which expired',
    rejected: 'of which rejected by the carrier',
    cancelled: 'Cancelled',
    about: (recipients: string) => `Percentages of all recipients (${recipients})`
  },
  {
    left: 'Envoyés',
    delivered: 'Délivrés',
    read: 'Lus',
    clicked: 'Cliqués',
    replied: 'Réponses',
    stopped: 'Désinscrits avant l’envoi',
    failed: 'Échecs',
    expired: 'dont expirés',
    rejected: 'dont rejetés par l’opérateur',
    cancelled: 'Annulés',
    about: (recipients: string) => `Pourcentages de tous les destinataires (${recipients})`
  }
)

/** Kinds of failures that are told apart. */
const FAILURES = { expired: 4, rejected: 5 } as const

/** The funnel of a message: sent, delivered, read, clicked, replied; then the losses. */
export function Funnel({ message }: { message: Message }) {
  const say = useWords(words)
  const formats = useFormats()
  const { summary, channel } = message
  const reached = summary.delivered + summary.read
  const counts = useQueries({
    queries: Object.values(FAILURES).map((deliver) => ({
      ...countQuery(message, deliver),
      enabled: summary.failed > 0
    }))
  })
  const failures = Object.keys(FAILURES).map(
    (name, index) => [say[name as keyof typeof FAILURES], counts[index]?.data ?? 0, 'red.7'] as const
  )
  const steps: (readonly [string, number, string])[] = [
    // The same count as on Home and in the results: a recipient that the carrier rejected was not sent.
    [say.left, message.sent_count ?? 0, 'telegraph.6'],
    [say.delivered, reached, 'teal.6'],
    ...(channel === 'rcs' ? [[say.read, summary.read, 'teal.8'] as const] : []),
    ...(message.shorturl_mode || message.clicked > 0 ? [[say.clicked, message.clicked, 'teal.9'] as const] : []),
    [say.replied, message.replied, 'teal.9']
  ]
  const losses = [
    [say.stopped, summary.stopped, 'orange.6'] as const,
    [say.cancelled, summary.cancelled, 'gray.6'] as const,
    [say.failed, summary.failed, 'red.7'] as const,
    ...failures
  ]
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {say.about(formats.number(message.recipients_count))}
      </Text>
      {[...steps, ...losses.filter(([, count]) => count > 0)].map(([name, count, color]) => (
        <Step key={name} name={name} count={count} whole={message.recipients_count} color={color} />
      ))}
    </Stack>
  )
}

function Step({ name, count, whole, color }: { name: string; count: number; whole: number; color: string }) {
  const formats = useFormats()
  return (
    <Box>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text size="sm">{name}</Text>
        <Text size="sm" className="digits">
          <b>{formats.number(count)}</b>{' '}
          <Text span c="dimmed">
            {formats.percent(count, whole)}
          </Text>
        </Text>
      </Group>
      <Progress value={whole === 0 ? 0 : (count / whole) * 100} color={color} aria-label={name} />
    </Box>
  )
}
