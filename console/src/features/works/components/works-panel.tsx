import { Anchor, CloseButton, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { changeWork, forgetWork, type Work } from '../../../lib/works.ts'
import { useLeaveWarning } from '../../../ui/leave-warning.tsx'
import { messageQuery } from '../../messages/api/messages.ts'

const words = defineWords(
  {
    title: 'Running work',
    kinds: { import: 'Import', extract: 'Export', send: 'Send' },
    states: { running: 'running …', done: 'finished', failed: 'failed' },
    stands: (title: string, state: string) => `${title}: ${state}`,
    open: 'Open',
    close: (name: string) => `Hide ${name}`
  },
  {
    title: 'Tâches en cours',
    kinds: { import: 'Import', extract: 'Export', send: 'Envoi' },
    states: { running: 'en cours…', done: 'terminé', failed: 'échec' },
    stands: (title: string, state: string) => `${title} : ${state}`,
    open: 'Ouvrir',
    close: (name: string) => `Masquer ${name}`
  }
)

const SEND_POLL_MS = 5_000

/** What runs, and what has just ended, on pages that were left. */
export function WorksPanel({ works }: { works: readonly Work[] }) {
  const say = useWords(words)
  // An upload or a download ends with the tab; a send does not.
  useLeaveWarning(works.some(({ kind, state }) => kind !== 'send' && state === 'running'))
  return (
    <Paper withBorder p="sm" mb="md" component="section" aria-label={say.title}>
      <Stack gap="xs">
        {works.map((work) =>
          work.kind === 'send' ? <SendRow key={work.id} work={work} /> : <Row key={work.id} work={work} />
        )}
      </Stack>
    </Paper>
  )
}

function SendRow({ work }: { work: Work }) {
  const { id, messageId = 0, state } = work
  const isRunning = state === 'running'
  const { data: message } = useQuery({
    ...messageQuery(messageId),
    refetchInterval: SEND_POLL_MS,
    enabled: isRunning
  })
  useEffect(() => {
    if (!message || !isRunning) return
    const { summary, recipients_count: count } = message
    const percent = count === 0 ? 0 : Math.floor(((count - summary.waiting) / count) * 100)
    if (message.state === 'cancelled') forgetWork(id)
    else if (message.state === 'sent') changeWork(id, { state: 'done' })
    else if (message.state === 'failed') changeWork(id, { state: 'failed' })
    else changeWork(id, { percent })
  }, [id, message, isRunning])
  return <Row work={work} />
}

function Row({ work: { id, kind, name, state, percent, problem, to } }: { work: Work }) {
  const say = useWords(words)
  const title = `${say.kinds[kind]} ${name}`
  return (
    <Group gap="sm" wrap="nowrap">
      <Stack gap={4} flex={1} miw={0}>
        <Text size="sm" className="cut" role="status" c={state === 'failed' ? 'var(--mantine-color-error)' : undefined}>
          {say.stands(title, problem ?? say.states[state])}
        </Text>
        {state === 'running' && (
          <Progress.Root size="sm">
            <Progress.Section
              value={percent ?? 100}
              striped={percent === undefined}
              animated={percent === undefined}
              aria-label={title}
            />
          </Progress.Root>
        )}
      </Stack>
      {to !== undefined && (
        <Anchor component={Link} to={to} size="sm" onClick={() => state !== 'running' && forgetWork(id)}>
          {say.open}
        </Anchor>
      )}
      {state !== 'running' && <CloseButton aria-label={say.close(name)} onClick={() => forgetWork(id)} />}
    </Group>
  )
}
