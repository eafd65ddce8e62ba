import { Alert, Button, List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { forecastQuery, type Message, pauseMessage, resumeMessage } from '../api/messages.ts'

const words = defineWords(
  {
    pause: 'Pause',
    pauseTitle: 'Pause this message?',
    pauseHint:
      'Messages that are being sent at this moment still leave. The others wait until you resume, or expire and are refunded.',
    scheduledHint: 'It is not sent before you resume it. If its time has passed by then, it is sent at once.',
    back: 'Back',
    paused: 'The message is paused.',
    resume: 'Resume',
    resumed: 'The message is being sent again.',
    scheduled: 'The message is scheduled again.',
    since: (moment: string) => `Paused since ${moment}.`,
    expiring: 'Unless you resume it, these recipients expire and are refunded:',
    expiry: (recipients: string, moment: string) => `${recipients} on ${moment}`
  },
  {
    pause: 'Mettre en pause',
    pauseTitle: 'Mettre ce message en pause ?',
    pauseHint:
      'Les messages en cours d’envoi partent encore. Les autres attendent la reprise, ou expirent et sont remboursés.',
    scheduledHint: 'Il n’est pas envoyé avant la reprise. Si sa date est alors passée, il est envoyé aussitôt.',
    back: 'Retour',
    paused: 'Le message est en pause.',
    resume: 'Reprendre',
    resumed: 'L’envoi du message a repris.',
    scheduled: 'Le message est à nouveau programmé.',
    since: (moment: string) => `En pause depuis le ${moment}.`,
    expiring: 'Sans reprise, ces destinataires expirent et sont remboursés :',
    expiry: (recipients: string, moment: string) => `${recipients} le ${moment}`
  }
)

/** Of a message that is scheduled or being sent. */
export function PauseButton({ message }: { message: Message }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const isPaused = message.paused_at !== undefined
  const isScheduled = message.state === 'scheduled'
  const change = useMutation({
    mutationFn: async () => {
      await (isPaused ? resumeMessage(message.id) : pauseMessage(message.id))
    },
    onSuccess() {
      notifications.show({
        color: 'green',
        message: !isPaused ? say.paused : isScheduled ? say.scheduled : say.resumed
      })
    },
    // Also after a refusal: the page showed what is no longer so.
    onSettled: () => queries.invalidateQueries({ queryKey: ['messages'] })
  })
  if (isPaused) {
    return (
      <Button
        leftSection={<IconPlayerPlay size={18} aria-hidden />}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {say.resume}
      </Button>
    )
  }
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={18} aria-hidden />}
      loading={change.isPending}
      onClick={() =>
        askFirst({
          title: say.pauseTitle,
          children: <Text>{isScheduled ? say.scheduledHint : say.pauseHint}</Text>,
          labels: { confirm: say.pause, cancel: say.back },
          onConfirm: () => change.mutate()
        })
      }
    >
      {say.pause}
    </Button>
  )
}

const SHOWN_MAX = 5

/** Since when a message is paused, and what expires unless it is resumed. */
export function PausedNote({
  message,
  timeZone
}: {
  message: Message & { paused_at: string }
  timeZone: string | undefined
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const { data } = useQuery(forecastQuery(message.id))
  return (
    <Alert role="status" color="orange">
      <Text size="sm">{say.since(formats.moment(message.paused_at))}</Text>
      {data && data.expiries.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            {say.expiring}
          </Text>
          <List size="sm">
            {data.expiries.slice(0, SHOWN_MAX).map(({ expires_at: at, recipients }) => (
              <List.Item key={at}>{say.expiry(formats.number(recipients), formats.moment(at))}</List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  )
}
