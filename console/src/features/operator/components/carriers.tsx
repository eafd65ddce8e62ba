import {
  Alert,
  Badge,
  Button,
  Group,
  Paper,
  Progress,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Title
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { useMay } from '../../account/api/may.ts'
import { type Carrier, carriersQuery, queueQuery } from '../api/operator.ts'
import { CarrierCapture } from './carrier-capture.tsx'
import { SendingBadge, SendingButtons } from './carrier-sending.tsx'
import { CarrierTest } from './carrier-test.tsx'

const words = defineWords(
  {
    test: 'Send a test',
    pdus: 'Last PDUs',
    up: 'Up',
    down: 'Down',
    routes: (list: string) => `Routes: ${list}`,
    others: 'all other numbers',
    categories: { transactional: 'transactional', marketing: 'marketing' } as Record<string, string>,
    modes: { transceiver: 'both ways', transmitter: 'sends', receiver: 'receives' } as Record<string, string>,
    forms: { 'as-is': 'as is', hex: 'hexadecimal', dec: 'decimal' } as Record<string, string>,
    account: (id: number) => `account ${id}`,
    slot: 'Bind',
    state: 'State',
    process: 'Process',
    window: 'Window',
    rate: 'Msgs/s',
    paced: (pace: string) => `slowed to ${pace}`,
    lastError: 'Last error',
    format: (form: string) => `Message-ID format: ${form} (detected)`,
    none: 'No process is connected to this carrier at the moment.',
    states: {
      connecting: 'Connecting',
      binding: 'Binding',
      bound: 'Bound',
      waiting: 'Waiting',
      unbinding: 'Unbinding'
    } as Record<string, string>,
    waiting: 'Oldest transactional batch',
    waitingMarketing: 'Oldest marketing batch',
    batches: 'Queued batches',
    inDoubt: 'Unconfirmed',
    parked: 'Receipts without a match yet',
    seconds: 's'
  },
  {
    test: 'Envoyer un test',
    pdus: 'Derniers PDU',
    up: 'En service',
    down: 'Hors service',
    routes: (list: string) => `Routes : ${list}`,
    others: 'tous les autres numéros',
    categories: { transactional: 'transactionnel', marketing: 'marketing' } as Record<string, string>,
    modes: { transceiver: 'les deux sens', transmitter: 'envoi', receiver: 'réception' } as Record<string, string>,
    forms: { 'as-is': 'tel quel', hex: 'hexadécimal', dec: 'décimal' } as Record<string, string>,
    account: (id: number) => `compte ${id}`,
    slot: 'Lien',
    state: 'Statut',
    process: 'Processus',
    window: 'Fenêtre',
    rate: 'Messages/s',
    paced: (pace: string) => `ralenti à ${pace}`,
    lastError: 'Dernière erreur',
    format: (form: string) => `Format des identifiants : ${form} (détecté)`,
    none: 'Aucun processus n’est connecté à cet opérateur pour l’instant.',
    states: {
      connecting: 'Connexion',
      binding: 'Ouverture',
      bound: 'Ouvert',
      waiting: 'En attente',
      unbinding: 'Fermeture'
    } as Record<string, string>,
    waiting: 'Plus ancien lot transactionnel',
    waitingMarketing: 'Plus ancien lot marketing',
    batches: 'Lots à envoyer',
    inDoubt: 'Non confirmés',
    parked: 'Accusés encore sans message',
    seconds: 's'
  }
)

/** The queue, and the age of its oldest batch. */
export function QueueFigures() {
  const say = useWords(words)
  const formats = useFormats()
  const isPhone = useIsPhone()
  const { data, isError } = useQuery(queueQuery)
  const seconds = (age: number) => `${formats.number(Math.round(age))} ${say.seconds}`
  const rows: [string, string | undefined, boolean?][] = [
    [say.waiting, data && seconds(data.transactionalAge), data && data.transactionalAge > 30],
    [say.waitingMarketing, data && seconds(data.marketingAge)],
    [say.batches, data && formats.number(data.batches)],
    [say.inDoubt, data && formats.number(data.inDoubt), data && data.inDoubt > 0],
    [say.parked, data && formats.number(data.parked)]
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
      {rows.map(([name, value, isWorrying], index) => (
        // Of five in two columns, the last takes both.
        <Paper key={name} withBorder p="md" {...(isPhone && index === 4 && { style: { gridColumn: '1 / -1' } })}>
          {/* Figures stand at one height, below names of one line and of two. */}
          <Stack gap={0} h="100%" justify="space-between">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text
              size="xl"
              fw={700}
              component="div"
              className="digits"
              {...(isWorrying && { c: 'var(--mantine-color-error)' })}
            >
              {value ?? (isError ? '–' : <Skeleton h={31} w={60} />)}
            </Text>
          </Stack>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

export function Carriers({ timeZone }: { timeZone: string | undefined }) {
  const { data, isError, error, refetch } = useQuery(carriersQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <RowsLoading rows={2} height={160} />
  return (
    <Stack>
      {data.map((carrier) => (
        <CarrierCard key={carrier.name} carrier={carrier} timeZone={timeZone} />
      ))}
    </Stack>
  )
}

function CarrierCard({ carrier, timeZone }: { carrier: Carrier; timeZone: string | undefined }) {
  const say = useWords(words)
  const [isTesting, setTesting] = useState(false)
  const [isCapturing, setCapturing] = useState(false)
  const mayTest = useMay('account')
  const routes = carrier.routes.map(({ channel, prefix, account, sender, category }) =>
    [
      channel.toUpperCase(),
      prefix === '' ? say.others : `+${prefix}`,
      ...(account === undefined ? [] : [say.account(account)]),
      ...(sender === undefined ? [] : [sender]),
      ...(category === undefined ? [] : [say.categories[category] ?? category])
    ].join(', ')
  )
  return (
    <Paper withBorder p="md" component="section" aria-label={carrier.name}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {carrier.name}
            </Title>
            <Badge variant="default">{carrier.type}</Badge>
            <Badge color={carrier.is_up ? 'teal.9' : 'red.8'} variant="filled" tt="none">
              {carrier.is_up ? say.up : say.down}
            </Badge>
            <SendingBadge carrier={carrier} timeZone={timeZone} />
          </Group>
          <Group gap="xs">
            {mayTest && carrier.channels.includes('sms') && (
              <Button variant="default" size="xs" onClick={() => setTesting(true)}>
                {say.test}
              </Button>
            )}
            {mayTest && carrier.sessions > 0 && (
              <Button variant="default" size="xs" onClick={() => setCapturing(true)}>
                {say.pdus}
              </Button>
            )}
            {mayTest && <SendingButtons carrier={carrier} />}
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          {say.routes(routes.join(', '))}
        </Text>
        {isTesting && <CarrierTest carrier={carrier} onClose={() => setTesting(false)} />}
        {isCapturing && (
          <CarrierCapture carrier={carrier.name} timeZone={timeZone} onClose={() => setCapturing(false)} />
        )}
        {carrier.learned_id_form && (
          <Text size="sm">{say.format(say.forms[carrier.learned_id_form] ?? carrier.learned_id_form)}</Text>
        )}
        <Links carrier={carrier} timeZone={timeZone} />
      </Stack>
    </Paper>
  )
}

interface LinkLine {
  key: string
  name: string
  state: string
  process: string
  used: number
  size: number
  rate: number
  pace: number | null
  error: { at: string; message: string } | null
}

function Links({ carrier, timeZone }: { carrier: Carrier; timeZone: string | undefined }) {
  const say = useWords(words)
  const translate = useSentences()
  const formats = useFormats(timeZone)
  const isPhone = useIsPhone()
  const figures = [say.window, say.rate]
  const titles = [say.slot, say.state, ...(isPhone ? [...figures, say.process] : [say.process, ...figures])]
  const lines = linesOf(carrier, say, (isUp) => (isUp ? say.up : say.down))
  // A carrier that slows us down may allow less than one a second.
  const perSecond = (rate: number) => formats.number(Math.round(rate * 10) / 10)
  if (lines.length === 0) return <Text c="dimmed">{say.none}</Text>
  return (
    <Stack gap="xs">
      <Table.ScrollContainer minWidth={520}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {titles.map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <Table.Tr key={line.key}>
                <Table.Td>{line.name}</Table.Td>
                <Table.Td>{line.state}</Table.Td>
                {!isPhone && <Process id={line.process} />}
                <Table.Td>
                  <Text size="sm" className="digits">
                    {formats.number(line.used)} / {formats.number(line.size)}
                  </Text>
                  <Progress
                    value={line.size === 0 ? 0 : (line.used / line.size) * 100}
                    size="sm"
                    aria-label={say.window}
                  />
                </Table.Td>
                <Table.Td className="digits">
                  {perSecond(line.rate)}
                  {line.pace !== null && ` (${say.paced(perSecond(line.pace))})`}
                </Table.Td>
                {isPhone && <Process id={line.process} />}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {lines
        .filter(({ error }) => error !== null)
        .map(({ key, error }) => (
          <Alert key={key} color="orange" title={`${say.lastError}, ${formats.moment(error?.at ?? '')}`}>
            {translate(error?.message ?? '')}
          </Alert>
        ))}
    </Stack>
  )
}

/** Enough of an id to tell processes apart. */
const PROCESS_SHOWN = 8

function Process({ id }: { id: string }) {
  return <Table.Td title={id}>{id.slice(0, PROCESS_SHOWN)}</Table.Td>
}

function linesOf(
  { binds, processes }: Carrier,
  { states, modes }: { states: Record<string, string>; modes: Record<string, string> },
  upOrDown: (isUp: boolean) => string
): LinkLine[] {
  return [
    ...binds.map((bind) => ({
      key: `bind ${bind.slot}`,
      name: `${bind.slot} · ${modes[bind.mode] ?? bind.mode}`,
      state: states[bind.state] ?? bind.state,
      process: bind.process,
      used: bind.window_used,
      size: bind.window,
      rate: bind.submits_per_second,
      pace: bind.pace_per_second,
      error: bind.last_error
    })),
    ...processes.map((each) => ({
      key: `process ${each.process}`,
      name: 'HTTP',
      state: upOrDown(each.is_up),
      process: each.process,
      used: each.in_flight,
      size: each.capacity,
      rate: each.submits_per_second,
      pace: each.pace_per_second,
      error: each.last_error
    }))
  ]
}
