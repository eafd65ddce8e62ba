import { Button, Code, Drawer, Stack, Text } from '@mantine/core'
import { IconDeviceMobile } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { NumberLink } from '../../../ui/number-link.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { type Recipient, timelineQuery } from '../api/messages.ts'
import { DeliverBadge } from './state-badge.tsx'
import { Steps } from './steps.tsx'

const words = defineWords(
  {
    got: 'Message text',
    story: 'What happened',
    error: 'Error',
    phone: 'Open on a virtual phone'
  },
  {
    got: 'Texte du message',
    story: 'Ce qui s’est passé',
    error: 'Erreur',
    phone: 'Ouvrir sur un téléphone virtuel'
  }
)

interface Given {
  messageId: number
  recipient: Recipient | undefined
  timeZone: string | undefined
  /** The virtual phone: in the sandbox each number has one. */
  onOpenPhone?: (number: string) => void
  onClose(): void
}

export function TimelineDrawer({ messageId, recipient, timeZone, onOpenPhone, onClose }: Given) {
  const say = useWords(words)
  return (
    <Drawer
      opened={recipient !== undefined}
      onClose={onClose}
      position="right"
      title={recipient && <NumberLink number={recipient.recipient} />}
    >
      {recipient && <Story messageId={messageId} recipient={recipient} timeZone={timeZone} />}
      {recipient && onOpenPhone && (
        <Button
          variant="light"
          mt="lg"
          fullWidth
          leftSection={<IconDeviceMobile size={16} aria-hidden />}
          onClick={() => {
            onClose()
            onOpenPhone(recipient.recipient)
          }}
        >
          {say.phone}
        </Button>
      )}
    </Drawer>
  )
}

function Story({ messageId, recipient, timeZone }: Omit<Given, 'onClose' | 'onOpenPhone'> & { recipient: Recipient }) {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery(timelineQuery(messageId, recipient.id))
  return (
    <Stack>
      <div>
        <DeliverBadge deliver={recipient.deliver} />
      </div>
      {recipient.errorcode !== '' && (
        <Text size="sm">
          {say.error} <Code>{recipient.errorcode}</Code>
        </Text>
      )}
      <div>
        <Text size="sm" c="dimmed">
          {say.got}
        </Text>
        <Text className="words">{recipient.content}</Text>
      </div>
      <Text size="sm" c="dimmed">
        {say.story}
      </Text>
      {isError && <ErrorState error={error} reset={() => void refetch()} />}
      {!data && !isError && <RowsLoading rows={3} />}
      {data && <Steps steps={data} timeZone={timeZone} />}
    </Stack>
  )
}
