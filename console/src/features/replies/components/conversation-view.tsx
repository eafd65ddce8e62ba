import { ActionIcon, Alert, Badge, Box, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconArrowLeft, IconSend2 } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import type { Schemas } from '../../../lib/api.ts'
import { useContactName } from '../../../lib/contact-names.ts'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { NumberLink } from '../../../ui/number-link.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import { stateWords } from '../../messages/words.ts'
import { answer, conversationQuery } from '../api/replies.ts'
import classes from './conversation-view.module.css'

const words = defineWords(
  {
    back: 'Back to the conversations',
    answer: 'Answer',
    placeholder: 'Write a reply …',
    send: 'Send the answer',
    stopped: 'Opted out',
    stoppedHint: 'This person is opted out and gets no more messages.',
    stop: 'STOP',
    conversation: (who: string) => `Conversation with ${who}`
  },
  {
    back: 'Retour aux conversations',
    answer: 'Répondre',
    placeholder: 'Écrivez une réponse…',
    send: 'Envoyer la réponse',
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
  const name = useContactName(phone)
  return (
    <Paper withBorder component="section" aria-label={say.conversation(formatPhone(phone))} className={classes.view}>
      <Group p="md" gap="sm" className={classes.head}>
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
          <Badge color="orange.9" variant="filled">
            {say.stopped}
          </Badge>
        )}
      </Group>
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
          <AnswerBox phone={phone} />
        </For>
      )}
    </Paper>
  )
}

function AnswerBox({ phone }: { phone: string }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const act = useActKey()
  const send = useMutation({
    mutationFn: () => answer({ to: phone, content: text, key: act.keyOf({ phone, text }) }),
    onSuccess() {
      act.renew()
      setText('')
      for (const queryKey of [['replies'], ['messages'], ['credits']]) void queries.invalidateQueries({ queryKey })
    }
  })
  return (
    <form
      className={classes.foot}
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') send.mutate()
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Textarea
          aria-label={say.answer}
          placeholder={say.placeholder}
          autosize
          minRows={1}
          maxRows={5}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        <ActionIcon
          type="submit"
          size={36}
          aria-label={say.send}
          loading={send.isPending}
          disabled={text.trim() === ''}
        >
          <IconSend2 size={18} aria-hidden />
        </ActionIcon>
      </Group>
    </form>
  )
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
