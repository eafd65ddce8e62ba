import {
  Badge,
  Button,
  Flex,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { type Asked, type Explanation, explainRoute, type Route, routesQuery } from '../api/routing.ts'

const words = defineWords(
  {
    ask: 'Which route does a message take?',
    to: 'Phone number',
    account: 'Account number',
    accountHint: 'Empty: the operator',
    sender: 'Sender',
    senderHint: 'Empty: its own',
    channel: 'Channel',
    category: 'Message type',
    transactional: 'Transactional',
    marketing: 'Marketing',
    explain: 'Explain',
    takes: (carrier: string, to: string) => `A message to ${to} takes ${carrier}.`,
    waits: (carrier: string, to: string) => `A message to ${to} waits: ${carrier} is paused.`,
    takesNone: (to: string) => `No carrier can send to ${to} now.`,
    noAgent: (to: string) => `The account may use no RCS agent for ${to}: the message falls back to SMS.`,
    all: 'Routes, the most specific first',
    considered: 'Routes that were considered, the most specific first',
    leftOff: (count: number) => counted('en', count, 'more does not match.', 'more do not match.'),
    matches: 'Matches',
    carriers: 'Carriers',
    why: 'Why',
    numbers: 'All numbers',
    of: (account: number) => `Account ${account}`,
    from: (sender: string) => `Sender ${sender}`,
    up: 'Up',
    down: 'Down',
    paused: 'Paused',
    draining: 'Draining',
    cost: (cost: string) => `cost ${cost}`,
    next: (statuses: string, tries: number) =>
      `Refused with ${statuses}: the next carrier is tried, ${tries} carriers at most.`,
    chosen: 'Taken',
    later: 'Matches; a more specific route comes first',
    mismatch: {
      prefix: 'Another number',
      account: 'Another account',
      sender: 'Another sender',
      category: 'Another message type'
    }
  },
  {
    ask: 'Quelle route un message prend-il ?',
    to: 'Numéro de téléphone',
    account: 'Numéro du compte',
    accountHint: 'Vide : l’exploitant',
    sender: 'Expéditeur',
    senderHint: 'Vide : le sien',
    channel: 'Canal',
    category: 'Type de message',
    transactional: 'Transactionnel',
    marketing: 'Marketing',
    explain: 'Expliquer',
    takes: (carrier: string, to: string) => `Un message vers ${to} passe par ${carrier}.`,
    waits: (carrier: string, to: string) => `Un message vers ${to} attend : ${carrier} est en pause.`,
    takesNone: (to: string) => `Aucun opérateur ne peut envoyer vers ${to} pour l’instant.`,
    noAgent: (to: string) => `Le compte n’a aucun agent RCS pour ${to} : le message part par SMS.`,
    all: 'Routes, la plus précise d’abord',
    considered: 'Routes examinées, la plus précise d’abord',
    leftOff: (count: number) => counted('fr', count, 'autre ne correspond pas.', 'autres ne correspondent pas.'),
    matches: 'Concerne',
    carriers: 'Opérateurs',
    why: 'Raison',
    numbers: 'Tous les numéros',
    of: (account: number) => `Compte ${account}`,
    from: (sender: string) => `Expéditeur ${sender}`,
    up: 'En service',
    down: 'Hors service',
    paused: 'En pause',
    draining: 'En vidage',
    cost: (cost: string) => `coût ${cost}`,
    next: (statuses: string, tries: number) =>
      `Refus ${statuses} : l’opérateur suivant est essayé, ${tries} opérateurs au plus.`,
    chosen: 'Choisie',
    later: 'Correspond ; une route plus précise passe avant',
    mismatch: {
      prefix: 'Autre numéro',
      account: 'Autre compte',
      sender: 'Autre expéditeur',
      category: 'Autre type de message'
    }
  }
)

/** All routes, and which of them a message takes. */
export function Routes() {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery(routesQuery)
  const explain = useMutation({ meta: { isShown: true }, mutationFn: explainRoute })
  return (
    <Stack>
      <Paper withBorder p="md" component="section" aria-label={say.ask}>
        <Stack>
          <Title order={2} size="h4">
            {say.ask}
          </Title>
          <Question isPending={explain.isPending} onAsk={explain.mutate} />
          {explain.isError && <Problem error={explain.error} />}
          {explain.data && <Answer explanation={explain.data} />}
        </Stack>
      </Paper>
      {isError && !data && <ErrorState error={error} reset={() => void refetch()} />}
      {!isError && !data && <RowsLoading rows={3} height={40} />}
      {data && (
        <Paper withBorder p="md" component="section" aria-label={say.all}>
          <Title order={2} size="h4">
            {say.all}
          </Title>
          <RouteTable last={say.carriers} rows={data.map((route) => ({ route, last: <Targets route={route} /> }))} />
        </Paper>
      )}
    </Stack>
  )
}

function Question({ isPending, onAsk }: { isPending: boolean; onAsk(asked: Asked): void }) {
  const say = useWords(words)
  const [asked, setAsked] = useState<Asked>({
    to: '',
    channel: 'sms',
    category: 'transactional',
    account: undefined,
    sender: ''
  })
  const change = (changes: Partial<Asked>) => setAsked({ ...asked, ...changes })
  function submit(event: FormEvent): void {
    event.preventDefault()
    onAsk(asked)
  }
  return (
    <form onSubmit={submit}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 5 }} verticalSpacing="sm">
        <TextInput
          label={say.to}
          type="tel"
          required
          value={asked.to}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <NumberInput
          label={say.account}
          placeholder={say.accountHint}
          min={1}
          allowDecimal={false}
          hideControls
          value={asked.account ?? ''}
          onChange={(account) => change({ account: typeof account === 'number' ? account : undefined })}
        />
        <TextInput
          label={say.sender}
          placeholder={say.senderHint}
          maxLength={20}
          disabled={asked.channel === 'rcs'}
          value={asked.sender}
          onChange={(event) => change({ sender: event.currentTarget.value })}
        />
        <Select
          label={say.channel}
          allowDeselect={false}
          data={[
            { value: 'sms', label: 'SMS' },
            { value: 'rcs', label: 'RCS' }
          ]}
          value={asked.channel}
          onChange={(channel) => change({ channel: channel as Asked['channel'] })}
        />
        <Select
          label={say.category}
          allowDeselect={false}
          data={(['transactional', 'marketing'] as const).map((value) => ({ value, label: say[value] }))}
          value={asked.category}
          onChange={(category) => change({ category: category as Asked['category'] })}
        />
      </SimpleGrid>
      <Button type="submit" mt="md" loading={isPending}>
        {say.explain}
      </Button>
    </form>
  )
}

function Answer({ explanation }: { explanation: Explanation }) {
  const say = useWords(words)
  const { to, channel, carrier, is_waiting: isWaiting, route, agent, considered, left_off: leftOff } = explanation
  const phone = formatPhone(to)
  const isLacking = channel === 'rcs' && route !== null && agent === null
  const taken = carrier && (isWaiting ? say.waits : say.takes)(carrier, phone)
  const sentence = taken || (isLacking ? say.noAgent(phone) : say.takesNone(phone))
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {sentence}
      </Text>
      {route && <Carriers carriers={route.carriers} />}
      <Title order={3} size="h5">
        {say.considered}
      </Title>
      <RouteTable
        last={say.why}
        rows={considered.map((route) => ({
          route,
          last: route.is_chosen ? (
            <Badge color="teal.9" variant="filled" tt="none">
              {say.chosen}
            </Badge>
          ) : (
            <Text size="sm" {...(route.mismatch && { c: 'dimmed' })}>
              {route.mismatch ? say.mismatch[route.mismatch] : say.later}
            </Text>
          )
        }))}
      />
      {leftOff > 0 && <Text c="dimmed">{say.leftOff(leftOff)}</Text>}
    </Stack>
  )
}

type Key = Omit<Route, 'carriers' | 'try_next_on' | 'tries_max'>

function RouteTable({ rows, last }: { rows: { route: Key; last: React.ReactNode }[]; last: string }) {
  const say = useWords(words)
  const isPhone = useIsPhone()
  return (
    <Table.ScrollContainer minWidth={isPhone ? 0 : 480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {[say.channel, say.matches, last].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ route, last }) => (
            <Table.Tr key={keyOf(route)}>
              <Table.Td>{route.channel.toUpperCase()}</Table.Td>
              <Table.Td>
                <Matches route={route} />
              </Table.Td>
              <Table.Td>{last}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const keyOf = ({ channel, prefix, account, sender, category }: Key) =>
  [channel, prefix, account, sender, category].join(' ')

function Matches({ route: { prefix, account, sender, category } }: { route: Key }) {
  const say = useWords(words)
  const matches = [
    ...(account === null ? [] : [say.of(account)]),
    ...(sender === null ? [] : [say.from(sender)]),
    ...(category === null ? [] : [say[category]]),
    prefix === '' ? say.numbers : `+${prefix}`
  ]
  return (
    <Group gap="xs">
      {matches.map((match) => (
        <Badge key={match} variant="default" tt="none" miw="max-content">
          {match}
        </Badge>
      ))}
    </Group>
  )
}

function Targets({ route: { carriers, try_next_on: statuses, tries_max: tries } }: { route: Route }) {
  const say = useWords(words)
  return (
    <Stack gap={4}>
      <Carriers carriers={carriers} />
      {statuses && tries !== undefined && (
        <Text size="sm" c="dimmed">
          {say.next(statuses.join(', '), tries)}
        </Text>
      )}
    </Stack>
  )
}

function Carriers({ carriers }: { carriers: Route['carriers'] }) {
  const say = useWords(words)
  const formats = useFormats()
  return (
    <Group gap="md">
      {carriers.map(({ name, is_up: isUp, sending, cost, agent }) => (
        <Flex key={name} gap="xs" align="center" wrap={{ base: 'wrap', sm: 'nowrap' }}>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Badge color={isUp ? 'teal.9' : 'red.8'} variant="filled" tt="none">
            {isUp ? say.up : say.down}
          </Badge>
          {sending !== 'on' && (
            <Badge color="orange.9" variant="filled" tt="none">
              {say[sending]}
            </Badge>
          )}
          {(agent || cost !== null) && (
            <Text size="sm" c="dimmed">
              {[...(agent ? [agent] : []), ...(cost === null ? [] : [say.cost(formats.number(cost))])].join(', ')}
            </Text>
          )}
        </Flex>
      ))}
    </Group>
  )
}
