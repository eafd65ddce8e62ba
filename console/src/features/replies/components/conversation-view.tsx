import { ActionIcon, Alert, Badge, Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Schemas } from '../../../lib/api.ts'
import { useContactName } from '../../../lib/contact-names.ts'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { NumberLink } from '../../../ui/number-link.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { useMay } from '../../account/api/may.ts'
import { For } from '../../account/components/for.tsx'
import { stateWords } from '../../messages/words.ts'
import { changeConversation, conversationQuery } from '../api/replies.ts'
import { AnswerBox } from './answer-box.tsx'
import { ConversationControls } from './conversation-controls.tsx'
import classes from './conversation-view.module.css'

const words = defineWords(
  {
    back: 'Back to the conversations',
    stopped: 'Opted out',
    stoppedHint: 'This person is opted out and gets no more messages.',
    stop: 'STOP',
    conversation: (who: string) => `Conversation with ${who}`
  },
  {
    back: 'Retour aux conversations',
    stopped: 'Désinscrit',
    stoppedHint: 'Cette personne est désinscrite et ne reçoit plus de messages.',
    stop: 'STOP',
    conversation: (who: string) => `Conversation avec ${who}`
  }
)

interface Line {
  key: string
  /** Null for a message that has not left yet. */
  at: string | null
  text: string
  isOurs: boolean
  isStop?: boolean
  /** Its state, unless it was delivered. */
  deliver?: number
}

export function ConversationView({
  phone,
  timeZone,
  onBack
}: {
  phone: string
  timeZone: string | undefined
  onBack(): void
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const states = useWords(stateWords).deliver
  const { data, isError, error, refetch } = useQuery(conversationQuery(phone))
  const end = useRef<HTMLDivElement>(null)
  const lines = data ? linesOf(data) : []
  const count = lines.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest is shown when one comes.
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  useMarkAsRead(phone, data?.replies.at(-1)?.id)
  const name = useContactName(phone)
  return (
    <Paper withBorder component="section" aria-label={say.conversation(formatPhone(phone))} className={classes.view}>
      <Group p="md" pb="sm" gap="sm">
        <ActionIcon variant="subtle" hiddenFrom="sm" aria-label={say.back} onClick={onBack}>
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <Box style={{ flex: 1 }}>
          <Title order={2} size="h5">
            {name || formatPhone(phone)}
          </Title>
          <NumberLink number={phone} withName={false} />
        </Box>
        {data?.is_stopped && (
          <Badge color="orange.9" variant="filled" tt="none">
            {say.stopped}
          </Badge>
        )}
      </Group>
      <ConversationControls phone={phone} onUnread={onBack} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <div className={classes.lines} role="log" tabIndex={0} aria-label={say.conversation(formatPhone(phone))}>
        {isError && !data && <ErrorState error={error} reset={() => void refetch()} />}
        {!data && !isError && <RowsLoading rows={3} />}
        {lines.map((line) => (
          <Stack key={line.key} gap={2} className={line.isOurs ? classes.ours : classes.theirs}>
            <div className={`${classes.bubble} words`}>{line.text}</div>
            <Text size="xs" c="dimmed">
              {line.at && formats.moment(line.at)} {line.isStop && <b>{say.stop}</b>}
              {line.deliver !== undefined && <b>{states[line.deliver]}</b>}
            </Text>
          </Stack>
        ))}
        <div ref={end} />
      </div>
      {data?.is_stopped ? (
        <Alert m="md">{say.stoppedHint}</Alert>
      ) : (
        <For permission="send">
          <AnswerBox phone={phone} contacts={data?.contacts ?? []} />
        </For>
      )}
    </Paper>
  )
}

/** A conversation that somebody looks at is read, and again with every reply that comes. */
function useMarkAsRead(phone: string, lastReplyId: number | undefined): void {
  const client = useQueryClient()
  const mayChange = useMay('send')
  useEffect(() => {
    if (lastReplyId === undefined || !mayChange) return
    // Of no weight: without it, the conversation stays unread.
    void changeConversation(client, { number: phone, change: { read: true } }).catch(() => undefined)
  }, [client, phone, lastReplyId, mayChange])
}

type Held = {
  replies: Schemas['Reponses'][]
  messages: { id: number; content: string; sent_at: string | null; deliver: number }[]
}

function linesOf({ replies, messages }: Held): Line[] {
  const theirs = replies.map((reply) => ({
    key: `reply ${reply.id}`,
    at: reply.timestamp,
    text: reply.content,
    isOurs: false,
    isStop: reply.is_stop
  }))
  const ours = messages
    .filter(({ sent_at: at, deliver }) => at !== null || deliver === WAITING)
    .map(({ id, content, sent_at: at, deliver }) => ({
      key: `message ${id}`,
      at,
      text: content,
      isOurs: true,
      ...(TOLD.has(deliver) && { deliver })
    }))
  const place = ({ at }: Line) => at ?? LAST
  return [...theirs, ...ours].sort((a, b) => place(a).localeCompare(place(b)))
}

const WAITING = 0
/** Waiting, failed, expired, rejected. */
const TOLD = new Set([WAITING, 3, 4, 5])
const LAST = '9999'
