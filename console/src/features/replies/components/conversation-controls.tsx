import { ActionIcon, Button, Group, Select, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconMail, IconRotate } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMay } from '../../account/api/may.ts'
import { nameOrEmail, peopleQuery } from '../../people/api/people.ts'
import { type ConversationChange, changeConversation, conversationStateQuery } from '../api/replies.ts'

const words = defineWords(
  {
    assignedTo: 'Assigned to',
    nobody: 'Nobody',
    you: 'You',
    closed: 'Closed',
    close: 'Close conversation',
    reopen: 'Reopen',
    unread: 'Mark as unread'
  },
  {
    assignedTo: 'Attribuée à',
    nobody: 'Personne',
    you: 'Vous',
    closed: 'Fermée',
    close: 'Fermer la conversation',
    reopen: 'Rouvrir',
    unread: 'Marquer comme non lue'
  }
)

const NOBODY = '0'

/** Who takes care of a conversation, and whether it is closed; nothing for a number that never replied. */
export function ConversationControls({ phone, onUnread }: { phone: string; onUnread(): void }) {
  const say = useWords(words)
  const client = useQueryClient()
  const mayChange = useMay('send')
  const { data: state } = useQuery(conversationStateQuery(phone))
  const { data: people = [] } = useQuery(peopleQuery)
  const change = useMutation({
    mutationFn: (change: ConversationChange) => changeConversation(client, { number: phone, change })
  })
  if (!state) return null
  const names = people.map((person) => ({
    value: String(person.id),
    label: person.is_you ? say.you : nameOrEmail(person)
  }))
  const assignedTo = String(state.assigned_to ?? NOBODY)
  if (!mayChange) {
    const name = names.find(({ value }) => value === assignedTo)?.label ?? say.nobody
    return (
      <Text size="sm" px="md" pb="sm" c="dimmed">
        {say.assignedTo}: {name}
        {state.closed && ` · ${say.closed}`}
      </Text>
    )
  }
  return (
    <Group px="md" pb="sm" gap="xs">
      <Select
        aria-label={say.assignedTo}
        size="xs"
        w={190}
        allowDeselect={false}
        searchable={names.length > SHORT}
        data={[{ value: NOBODY, label: say.nobody }, ...names]}
        value={assignedTo}
        disabled={change.isPending}
        onChange={(id) => change.mutate({ assigned_to: id === NOBODY ? null : Number(id) })}
      />
      <Button
        variant="default"
        size="xs"
        leftSection={state.closed ? <IconRotate size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />}
        loading={change.isPending}
        onClick={() => change.mutate({ closed: !state.closed })}
      >
        {state.closed ? say.reopen : say.close}
      </Button>
      <Tooltip label={say.unread}>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={say.unread}
          disabled={change.isPending}
          onClick={() => change.mutate({ read: false }, { onSuccess: onUnread })}
        >
          <IconMail size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

/** People that are found without a search. */
const SHORT = 8
