import { ActionIcon, Alert, Badge, Box, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconArrowLeft, IconSend2 } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../../lib/api.ts'
import { formatPhone, useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { answer, conversationQuery } from '../api/replies.ts'
import classes from './conversation-view.module.css'

const words = defineWords(
  {
    back: 'Back to the conversations',
    answer: 'Answer',
    placeholder: 'Write an answer …',
    send: 'Send the answer',
    stopped: 'Opted out',
    stoppedHint: 'This person has written STOP and gets no more messages.',
    stop: 'STOP',
    conversation: (who: string) => `Conversation with ${who}`
  },
  {
    back: 'Retour aux conversations',
    answer: 'Répondre',
    placeholder: 'Écrivez une réponse…',
    send: 'Envoyer la réponse',
    stopped: 'Désinscrit',
    stoppedHint: 'Cette personne a écrit STOP et ne reçoit plus de messages.',
    stop: 'STOP',
    conversation: (who: string) => `Conversation avec ${who}`
  }
)

interface Line {
  key: string
  at: string
  text: string
  isOurs: boolean
  isStop?: boolean
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
  const { data, isError, error, refetch } = useQuery(conversationQuery(phone))
  const end = useRef<HTMLDivElement>(null)
  const lines = data ? linesOf(data) : []
  const count = lines.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest is shown when one comes.
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  const name = data ? nameOf(data) : ''
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
          {name !== '' && (
            <Text size="sm" c="dimmed" className="digits">
              {formatPhone(phone)}
            </Text>
          )}
        </Box>
        {data?.is_stopped && (
          <Badge color="orange.9" variant="filled">
            {say.stopped}
          </Badge>
        )}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <div className={classes.lines} role="log" tabIndex={0} aria-label={say.conversation(formatPhone(phone))}>
        {isError && <ErrorState error={error} reset={() => void refetch()} />}
        {!data && !isError && <RowsLoading rows={3} />}
        {lines.map((line) => (
          <Stack key={line.key} gap={2} className={line.isOurs ? classes.ours : classes.theirs}>
            <div className={`${classes.bubble} words`}>{line.text}</div>
            <Text size="xs" c="dimmed">
              {formats.moment(line.at)} {line.isStop && <b>{say.stop}</b>}
            </Text>
          </Stack>
        ))}
        <div ref={end} />
      </div>
      {data?.is_stopped ? <Alert m="md">{say.stoppedHint}</Alert> : <AnswerBox phone={phone} />}
    </Paper>
  )
}

function AnswerBox({ phone }: { phone: string }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: () => answer({ to: phone, content: text, sender: undefined }),
    onSuccess() {
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
  messages: { id: number; content: string; sent_at: string | null }[]
  contacts: Schemas['ContactsWithId'][]
}

function linesOf({ replies, messages }: Held): Line[] {
  const theirs = replies.map((reply) => ({
    key: `reply ${reply.id}`,
    at: reply.timestamp,
    text: reply.content,
    isOurs: false,
    isStop: reply.is_stop
  }))
  const ours = messages.flatMap(({ id, content, sent_at: at }) =>
    at === null ? [] : [{ key: `message ${id}`, at, text: content, isOurs: true }]
  )
  return [...theirs, ...ours].sort((a, b) => a.at.localeCompare(b.at))
}

function nameOf({ contacts }: Held): string {
  const known = contacts.find(({ champ_nom: last, champ_prenom: first }) => last !== '' || first !== '')
  return known ? `${known.champ_prenom} ${known.champ_nom}`.trim() : ''
}
