import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { useWords } from '../../../lib/language.ts'
import type { ReceivedRequest, RequestState } from '../api/credit-requests.ts'
import { requestWords } from '../words.ts'

const COLORS: Record<RequestState, string> = { waiting: 'orange', given: 'green', declined: 'red', withdrawn: 'gray' }

/** A request for credits: how many, its notes, and what can be done with it. */
export function RequestCard({
  request,
  title,
  timeZone,
  actions
}: {
  request: Omit<ReceivedRequest, 'account'>
  /** The account that asks. */
  title?: string
  timeZone: string
  actions?: ReactNode
}) {
  const say = useWords(requestWords)
  const formats = useFormats(timeZone)
  const { msgType, credits, state, note, answer, created_at: askedAt } = request
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} style={{ minWidth: 0, flex: 1 }}>
          {title !== undefined && <Text fw={600}>{title}</Text>}
          <Group gap="xs">
            <Text className="digits">{say.amount(credits, msgType === 1 ? 'SMS' : 'RCS')}</Text>
            <Badge variant="light" color={COLORS[state]} tt="none">
              {say.states[state]}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            {say.asked(formats.moment(askedAt))}
          </Text>
          {note !== '' && (
            <Text size="sm">
              {say.note}: {note}
            </Text>
          )}
          {answer !== '' && (
            <Text size="sm">
              {say.answer}: {answer}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </Paper>
  )
}
