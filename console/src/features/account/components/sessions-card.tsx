import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMe } from '../api/me.ts'

const words = defineWords(
  {
    title: 'Sessions',
    here: 'This session',
    end: 'End',
    endOf: (program: string) => `End the session of ${program}`,
    others: 'End all others',
    seen: (time: string, address: string) => `Last seen ${time}, from ${address}`
  },
  {
    title: 'Sessions',
    here: 'Cette session',
    end: 'Terminer',
    endOf: (program: string) => `Terminer la session de ${program}`,
    others: 'Terminer toutes les autres',
    seen: (time: string, address: string) => `Dernière activité ${time}, depuis ${address}`
  }
)

const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: () => call('listMySessions') })

/** The log-ins of the person that are not over, with a button to end each. */
export function SessionsCard() {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const { data: sessions = [] } = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (session: string) => call('endSession', { path: { session } }),
    onSettled: refresh
  })
  const endOthers = useMutation({ mutationFn: () => call('endOtherSessions'), onSettled: refresh })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say.title}
          </Title>
          {sessions.length > 1 && (
            <Button variant="default" size="xs" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
              {say.others}
            </Button>
          )}
        </Group>
        {sessions.map(({ id, agent, address, social_reason: company, last_seen_at: seenAt, is_current: isHere }) => (
          <Group key={id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Group gap="xs">
                <Text size="sm" fw={600} className="cut">
                  {[programOf(agent), company].filter((word) => word !== '').join(' · ')}
                </Text>
                {isHere && (
                  <Badge variant="light" tt="none">
                    {say.here}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed">
                {say.seen(formats.moment(seenAt), address)}
              </Text>
            </div>
            {!isHere && (
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                style={{ flexShrink: 0 }}
                aria-label={say.endOf(programOf(agent))}
                loading={end.isPending && end.variables === id}
                onClick={() => end.mutate(id)}
              >
                {say.end}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

/** "Firefox, Linux" out of the long name that a browser gives itself; other programs as they are. */
function programOf(agent: string): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0]
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0]
  const names = [browser, system].filter((name) => name !== undefined)
  return names.length > 0 ? names.join(', ') : agent.slice(0, 40) || '?'
}

/** In this order: browsers name those that they resemble too. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//]
]
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/]
]
