import { Button, Checkbox, Grid, Group, Paper, Select, Table, Text, Title } from '@mantine/core'
import { IconChartBar, IconColumns } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import {
  type Channel,
  dailyResultsQuery,
  type MessageResult,
  nameOfMessage,
  type Period,
  periodResultsQuery
} from '../features/results/api/results.ts'
import { Chart, Charts } from '../features/results/components/charts.tsx'
import { DaysChart } from '../features/results/components/days-chart.tsx'
import { Groups } from '../features/results/components/groups.tsx'
import { RateTiles } from '../features/results/components/rate-tiles.tsx'
import { RATE_NAMES, resultWords } from '../features/results/words.ts'
import { call, download, type Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, localeOf, useLanguage, useWords } from '../lib/language.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { DaysInput } from '../ui/days-input.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Results',
    about: 'Results by period. Single messages count in the totals only.',
    days: 'Days',
    recent: 'Last 30 days',
    channel: 'Channel',
    both: 'SMS and RCS',
    sort: 'Sort by',
    due: 'Send time',
    messages: 'Messages',
    message: 'Message',
    choose: (name: string) => `Compare ${name}`,
    chosen: 'Compare',
    compare: (count: number) => `Compare (${count})`,
    deliveries: 'Deliveries over time',
    reactions: 'Clicks, replies and opt-outs over time',
    none: 'No messages in this period',
    hours: 'Best hours by past clicks',
    hour: 'Send time',
    rates: { delivery_rate: 'Delivery', click_rate: 'Clicks', reply_rate: 'Replies', opt_out_rate: 'Opt-outs' },
    noHours: 'No message with a tracked link was delivered in this period.',
    groups: 'These tables count messages to several recipients, from six hours after sending.'
  },
  {
    title: 'Résultats',
    about: 'Résultats par période. Les messages à un seul destinataire ne comptent que dans les totaux.',
    days: 'Jours',
    recent: '30 derniers jours',
    channel: 'Canal',
    both: 'SMS et RCS',
    sort: 'Trier par',
    due: 'Date d’envoi',
    messages: 'Messages',
    message: 'Message',
    choose: (name: string) => `Comparer ${name}`,
    chosen: 'Comparer',
    compare: (count: number) => `Comparer (${count})`,
    deliveries: 'Messages délivrés dans le temps',
    reactions: 'Clics, réponses et désinscriptions dans le temps',
    none: 'Aucun message sur cette période',
    hours: 'Meilleures heures d’après les clics',
    hour: 'Heure d’envoi',
    rates: { delivery_rate: 'Délivrés, %', click_rate: 'Clics', reply_rate: 'Réponses', opt_out_rate: 'Désinscr.' },
    noHours: 'Aucun message avec un lien suivi n’a été délivré sur cette période.',
    groups: 'Ces tableaux comptent les messages à plusieurs destinataires, six heures après leur envoi.'
  }
)

const SORTS = ['due', 'recipients', 'delivered', 'clicked', ...RATE_NAMES] as const
type Sort = (typeof SORTS)[number]
const COMPARED_MAX = 10
const HOURS_SHOWN = 5

export function Results() {
  const say = useWords(words)
  const results = useWords(resultWords)
  const language = useLanguage()
  const navigate = useNavigate()
  const [period, setPeriod] = useState<Period>({})
  const [sort, setSort] = useState<Sort>('due')
  const [chosen, setChosen] = useState<readonly number[]>([])
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <>
          <ExportButton fetchFile={() => download('extractPeriodResults', {}, { ...period })} name="results.csv" />
          <ExportButton
            label={results.pdf}
            fetchFile={() => download('extractPeriodResults', {}, { ...period, language }, 'application/pdf')}
            name="results.pdf"
          />
        </>
      }
    >
      <Group align="flex-end" gap="sm">
        <DaysInput
          label={say.days}
          placeholder={say.recent}
          onChange={(from, to) => setPeriod({ ...period, from: from ?? undefined, to: to ?? undefined })}
        />
        <Select
          label={say.channel}
          placeholder={say.both}
          clearable
          w={160}
          value={period.channel ?? null}
          onChange={(channel) => setPeriod({ ...period, channel: (channel as Channel | null) ?? undefined })}
          data={[
            { value: 'sms', label: 'SMS' },
            { value: 'rcs', label: 'RCS' }
          ]}
        />
      </Group>
      <PeriodFigures period={period} />
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          {say.messages}
        </Title>
        <Group align="flex-end" gap="sm">
          <Select
            label={say.sort}
            allowDeselect={false}
            w={200}
            value={sort}
            onChange={(value) => setSort((value as Sort | null) ?? 'due')}
            data={SORTS.map((value) => ({ value, label: value === 'due' ? say.due : results[value] }))}
          />
          <Button
            leftSection={<IconColumns size={18} aria-hidden />}
            disabled={chosen.length < 2}
            onClick={() => void navigate({ to: '/results/compare', search: { messages: chosen.join() } as never })}
          >
            {say.compare(chosen.length)}
          </Button>
        </Group>
      </Group>
      <Messages
        period={period}
        sort={sort}
        chosen={chosen}
        onChoose={(id, isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id))}
      />
    </Page>
  )
}

function PeriodFigures({ period }: { period: Period }) {
  const say = useWords(words)
  const { data, isError, error, refetch } = useQuery({
    ...periodResultsQuery(period),
    placeholderData: keepPreviousData
  })
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return null
  return (
    <>
      <RateTiles results={data.totals} />
      <Days period={period} />
      <BestHours hours={data.hours} />
      <Text c="dimmed" size="sm">
        {say.groups}
      </Text>
      <Grid gap="lg">
        <Groups results={data} />
      </Grid>
    </>
  )
}

function Days({ period }: { period: Period }) {
  const say = useWords(words)
  const { data } = useQuery({ ...dailyResultsQuery(period), placeholderData: keepPreviousData })
  if (!data) return null
  return (
    <Charts>
      <Chart title={say.deliveries}>
        <DaysChart days={data} names={['delivered']} />
      </Chart>
      <Chart title={say.reactions}>
        <DaysChart days={data} names={['clicked', 'replied', 'opted_out']} />
      </Chart>
    </Charts>
  )
}

/** 5 January 2026 was a Monday. */
const dayOf = (weekday: number) => new Date(Date.UTC(2026, 0, 4 + weekday))

const hourOf = (hour: number) => new Date(Date.UTC(2026, 0, 5, hour))

function BestHours({ hours }: { hours: Schemas['PeriodResults']['hours'] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats()
  const language = useLanguage()
  const days = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
  const times = new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short', timeZone: 'UTC' })
  return (
    <Paper withBorder p="md" component="section" aria-label={say.hours}>
      <Title order={2} size="h4" mb="sm">
        {say.hours}
      </Title>
      {hours.length === 0 ? (
        <Text c="dimmed">{say.noHours}</Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{say.hour}</Table.Th>
              <Table.Th scope="col" ta="right">
                {results.click_rate}
              </Table.Th>
              <Table.Th scope="col" ta="right">
                {results.delivered}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hours.slice(0, HOURS_SHOWN).map(({ weekday, hour, click_rate, delivered }) => (
              <Table.Tr key={`${weekday} ${hour}`}>
                <Table.Th scope="row" fw={400}>
                  {days.format(dayOf(weekday))} {times.format(hourOf(hour))}–{times.format(hourOf(hour + 1))}
                </Table.Th>
                <Table.Td ta="right" className="digits">
                  {formats.rate(click_rate)}
                </Table.Td>
                <Table.Td ta="right" className="digits">
                  {formats.number(delivered)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  )
}

function Messages({
  period,
  sort,
  chosen,
  onChoose
}: {
  period: Period
  sort: Sort
  chosen: readonly number[]
  onChoose(id: number, isChosen: boolean): void
}) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats(useMe()?.time_zone)
  const columns: Column<MessageResult>[] = [
    {
      key: 'choose',
      title: say.chosen,
      isTitleHidden: true,
      width: '44px',
      cell: (row) => (
        <Checkbox
          aria-label={say.choose(nameOfMessage(row))}
          checked={chosen.includes(row.message_id)}
          disabled={chosen.length >= COMPARED_MAX && !chosen.includes(row.message_id)}
          onChange={({ currentTarget: { checked } }) => onChoose(row.message_id, checked)}
        />
      )
    },
    {
      key: 'name',
      title: say.message,
      width: '2fr',
      cell: (row, isNarrow) => (
        <>
          <Text className="cut">{nameOfMessage(row)}</Text>
          {isNarrow && (
            <Text size="xs" c="dimmed" className="cut digits">
              {formats.moment(row.due_at)}
            </Text>
          )}
        </>
      )
    },
    { key: 'due', title: say.due, width: '1.6fr', isWide: true, cell: (row) => formats.moment(row.due_at) },
    {
      key: 'delivered',
      title: results.delivered,
      width: '100px',
      align: 'right',
      isWide: true,
      cell: (row) => formats.number(row.delivered)
    },
    ...RATE_NAMES.map(
      (name): Column<MessageResult> => ({
        key: name,
        title: say.rates[name],
        width: '1fr',
        align: 'right',
        isWide: name !== 'delivery_rate',
        cell: (row) => formats.rate(row[name])
      })
    )
  ]
  return (
    <DataTable
      label={say.messages}
      columns={columns}
      queryKey={['stats', 'messages', period, sort]}
      fetchPage={(page, signal) => call('listMessageResults', { query: { ...page, ...period, sort }, signal })}
      rowKey={(row) => row.message_id}
      linkOf={({ message_id: id }) => `/messages/${id}/results`}
      linkColumn="name"
      empty={<EmptyState icon={<IconChartBar size={28} aria-hidden />} title={say.none} />}
    />
  )
}
