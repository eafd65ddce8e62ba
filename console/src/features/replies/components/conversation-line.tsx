import { Badge, Group, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useContactName } from '../../../lib/contact-names.ts'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { counted, defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { nameOrEmail, peopleQuery } from '../../people/api/people.ts'
import type { Conversation } from '../api/replies.ts'
import classes from './conversation-line.module.css'

const words = defineWords(
  { stop: 'STOP', closed: 'Closed', unread: 'unread', one: 'reply', other: 'replies' },
  { stop: 'STOP', closed: 'Fermée', unread: 'non lues', one: 'réponse', other: 'réponses' }
)

interface Given {
  conversation: Conversation
  isChosen: boolean
  onChoose(): void
  timeZone: string | undefined
}

/** A conversation in the list. */
export function ConversationLine({ conversation, isChosen, onChoose, timeZone }: Given) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const { recipient, last_reply: last, unread_count: unread } = conversation
  const name = useContactName(recipient)
  return (
    <UnstyledButton
      className={classes.line}
      data-chosen={isChosen || undefined}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onChoose}
    >
      <Stack gap={2}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text fw={600} size="sm" className="digits cut">
            {name === '' ? formatPhone(recipient) : name}
          </Text>
          <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
            {formats.ago(last.timestamp)}
          </Text>
        </Group>
        {name !== '' && (
          <Text size="xs" c="dimmed" className="digits">
            {formatPhone(recipient)}
          </Text>
        )}
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" fw={unread > 0 ? 600 : 400} className="cut">
            {last.content}
          </Text>
          <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
            {conversation.is_stopped && (
              <Badge size="sm" color="orange.9" variant="filled">
                {say.stop}
              </Badge>
            )}
            {conversation.closed && (
              <Badge size="sm" variant="default" tt="none">
                {say.closed}
              </Badge>
            )}
            {unread > 0 && (
              <Badge size="sm" variant="filled" className="digits">
                {unread} <VisuallyHidden>{say.unread}</VisuallyHidden>
              </Badge>
            )}
          </Group>
        </Group>
        <Foot conversation={conversation} />
      </Stack>
    </UnstyledButton>
  )
}

/** How many replies there are, unless the badge tells it, and who takes care of them. */
function Foot({ conversation }: { conversation: Conversation }) {
  const { replies_count: count, unread_count: unread, assigned_to: assignedTo } = conversation
  const say = useWords(words)
  const language = useLanguage()
  const { data: people } = useQuery(peopleQuery)
  const person = people?.find(({ id }) => id === assignedTo)
  const parts = [
    ...(count > 1 && count !== unread ? [counted(language, count, say.one, say.other)] : []),
    ...(person ? [nameOrEmail(person)] : [])
  ]
  if (parts.length === 0) return null
  return (
    <Text size="xs" c="dimmed" className="cut">
      {parts.join(' · ')}
    </Text>
  )
}
