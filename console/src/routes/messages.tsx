import { Badge, Button, Group, Select, Text, TextInput } from '@mantine/core'
import '@mantine/dates/styles.css'
import 'dayjs/locale/fr'
import { useDebouncedValue } from '@mantine/hooks'
import { IconListDetails, IconSearch, IconSend } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import type { Message, MessageFilters, MessageState } from '../features/messages/api/messages.ts'
import { StateBadge } from '../features/messages/components/state-badge.tsx'
import { SummaryBar } from '../features/messages/components/summary-bar.tsx'
import { stateWords } from '../features/messages/words.ts'
import { call } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { fromWallTime } from '../lib/wall-time.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { DaysInput } from '../ui/days-input.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'
import styles from './messages.module.css'

const words = defineWords(
  {
    title: 'Messages',
    send: 'Send',
    search: 'Search in names and texts',
    tag: 'Tag',
    state: 'State',
    channel: 'Channel',
    days: 'Days',
    all: 'All',
    allTags: 'All',
    text: 'Text',
    recip: (count: string) => `${count} recip.`,
    delivered: (rate: string) => `${rate} delivered`,
    when: 'Send time',
    recipients: 'Recipients',
    progress: 'Progress',
    none: 'No message yet',
    noneHint: 'Messages that you send appear here, with their results.',
    noneFound: 'No messages found',
    noneFoundHint: 'Choose fewer filters.'
  },
  {
    title: 'Messages',
    send: 'Envoyer',
    search: 'Rechercher dans les noms et textes',
    tag: 'Étiquette',
    state: 'Statut',
    channel: 'Canal',
    days: 'Jours',
    all: 'Tous',
    allTags: 'Toutes',
    text: 'Texte',
    recip: (count: string) => `${count} dest.`,
    delivered: (rate: string) => `${rate} délivrés`,
    when: 'Date d’envoi',
    recipients: 'Destinataires',
    progress: 'Avancement',
    none: 'Aucun message pour l’instant',
    noneHint: 'Vos envois apparaissent ici, avec leur résultat.',
    noneFound: 'Aucun message trouvé',
    noneFoundHint: 'Choisissez moins de filtres.'
  }
)

const REST_MS = 300
const REFRESH_MS = 5_000

export function MessagesPage() {
  const say = useWords(words)
  const me = useMe()
  const navigate = useNavigate()
  const timeZone = me?.time_zone ?? 'Europe/Paris'
  const formats = useFormats(timeZone)
  const [filters, setFilters] = useState<MessageFilters>(filtersOf(useSearch({ strict: false })))
  const [rested] = useDebouncedValue(filters, REST_MS)
  // In the address, so that Back from a message leads to the same search.
  useEffect(() => {
    void navigate({ to: '/messages', search: rested as never, replace: true })
  }, [navigate, rested])
  // For a phone: a day of this year needs no year.
  const dayOf = (date: Date) => new Intl.DateTimeFormat('sv', { timeZone }).format(date)
  const thisYear = dayOf(new Date()).slice(0, 4)
  const shortMoment = (at: string) => {
    const day = dayOf(new Date(at))
    return day.startsWith(thisYear) ? `${formats.shortDay(day)} ${formats.time(at)}` : formats.day(at)
  }
  /** Of what was sent, as on Home and in the results; nothing while nothing was. */
  const rateOf = ({ summary, sent_count: sent = 0 }: Message) =>
    sent > 0 ? [say.delivered(formats.percent(summary.delivered + summary.read, sent))] : []
  const isFiltered = Object.values(rested).some((value) => value !== undefined && value !== '')
  const columns: Column<Message>[] = [
    {
      key: 'text',
      title: say.text,
      width: 'minmax(0, 2fr)',
      isWide: true,
      cell: (message) => <NameAndText message={message} />
    },
    {
      key: 'text and result',
      title: say.text,
      width: 'minmax(0, 2fr)',
      isNarrow: true,
      cell: (message) => (
        <>
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Text size="sm" truncate {...(message.name !== undefined && { fw: 600 })}>
              {message.name ?? message.content.replaceAll('\n', ' ')}
            </Text>
            <StateBadge state={message.state} isPaused={message.paused_at !== undefined} />
          </Group>
          <Text size="xs" c="dimmed" truncate className="digits">
            {[
              shortMoment(message.scheduletimestamp),
              say.recip(formats.compact(message.recipients_count)),
              ...rateOf(message)
            ].join(' · ')}
          </Text>
        </>
      )
    },
    {
      key: 'state',
      title: say.state,
      width: '110px',
      isWide: true,
      cell: ({ state, paused_at: pausedAt }) => <StateBadge state={state} isPaused={pausedAt !== undefined} />
    },
    {
      key: 'channel',
      title: say.channel,
      width: '70px',
      isWide: true,
      cell: ({ channel }) => <Badge variant="default">{channel}</Badge>
    },
    {
      key: 'when',
      title: say.when,
      width: '170px',
      isWide: true,
      cell: ({ scheduletimestamp: at }) => (
        <Text size="sm" className="digits">
          {formats.moment(at)}
        </Text>
      )
    },
    {
      key: 'recipients',
      title: say.recipients,
      width: '124px',
      isWide: true,
      align: 'right',
      cell: ({ recipients_count: count }) => <span className="digits">{formats.number(count)}</span>
    },
    {
      key: 'progress',
      title: say.progress,
      width: '140px',
      isWide: true,
      cell: (message) => <SummaryBar message={message} size="md" />
    }
  ]
  return (
    <Page
      title={say.title}
      actions={
        <For permission="send">
          <Button component={Link} to="/send" leftSection={<IconSend size={18} aria-hidden />}>
            {say.send}
          </Button>
        </For>
      }
    >
      <Filters filters={filters} onChange={setFilters} />
      <DataTable
        label={say.title}
        columns={columns}
        queryKey={['messages', 'list', rested]}
        fetchPage={(page, signal) =>
          call('listMessages', { query: { ...page, ...rested, ...momentsOf(rested, timeZone) }, signal })
        }
        rowKey={({ id }) => id}
        refetchMs={REFRESH_MS}
        linkOf={({ id }) => `/messages/${id}`}
        empty={
          isFiltered ? (
            <EmptyState icon={<IconSearch size={28} aria-hidden />} title={say.noneFound}>
              {say.noneFoundHint}
            </EmptyState>
          ) : (
            <EmptyState
              icon={<IconListDetails size={28} aria-hidden />}
              title={say.none}
              action={
                <For permission="send">
                  <Button component={Link} to="/send">
                    {say.send}
                  </Button>
                </For>
              }
            >
              {say.noneHint}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

function NameAndText({ message: { name, tags = [], content } }: { message: Message }) {
  const shown = content.replaceAll('\n', ' ')
  if (name === undefined && tags.length === 0) {
    return (
      <Text size="sm" truncate>
        {shown}
      </Text>
    )
  }
  return (
    <Group gap={6} wrap="nowrap">
      {name !== undefined && (
        // The text gives way, and not the name.
        <Text span size="sm" fw={600} truncate maw="50%" style={{ flexShrink: 0 }}>
          {name}
        </Text>
      )}
      {tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" style={{ flexShrink: 0 }}>
          {tag}
        </Badge>
      ))}
      <Text span size="sm" truncate>
        {shown}
      </Text>
    </Group>
  )
}

const text = (value: unknown) => (value === undefined || value === '' ? undefined : String(value))

function filtersOf({ state, channel, tag, search, from, to }: Record<string, unknown>): MessageFilters {
  return {
    state: text(state) as MessageState | undefined,
    channel: text(channel) as MessageFilters['channel'],
    tag: text(tag),
    search: text(search),
    from: text(from),
    to: text(to)
  }
}

const momentsOf = ({ from, to }: MessageFilters, timeZone: string) => ({
  from: from && fromWallTime(`${from} 00:00:00`, timeZone),
  to: to && fromWallTime(`${to} 23:59:59`, timeZone)
})

function Filters({ filters, onChange }: { filters: MessageFilters; onChange(filters: MessageFilters): void }) {
  const say = useWords(words)
  const states = useWords(stateWords).message
  return (
    <div className={styles.filters}>
      <TextInput
        label={say.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filters.search ?? ''}
        onChange={(event) => onChange({ ...filters, search: text(event.currentTarget.value) })}
        style={{ flex: '1 1 200px' }}
      />
      <Select
        label={say.state}
        placeholder={say.all}
        clearable
        w={{ base: '100%', sm: 150 }}
        value={filters.state ?? null}
        onChange={(state) => onChange({ ...filters, state: (state as MessageState) ?? undefined })}
        data={Object.entries(states).map(([value, label]) => ({ value, label }))}
      />
      <Select
        label={say.channel}
        placeholder={say.all}
        clearable
        w={{ base: '100%', sm: 110 }}
        value={filters.channel ?? null}
        onChange={(channel) => onChange({ ...filters, channel: (channel as 'sms' | 'rcs') ?? undefined })}
        data={[
          { value: 'sms', label: 'SMS' },
          { value: 'rcs', label: 'RCS' }
        ]}
      />
      <TextInput
        label={say.tag}
        placeholder={say.allTags}
        maxLength={50}
        w={{ base: '100%', sm: 130 }}
        value={filters.tag ?? ''}
        onChange={(event) => onChange({ ...filters, tag: text(event.currentTarget.value) })}
      />
      <DaysInput
        label={say.days}
        placeholder={say.all}
        w={{ base: '100%', sm: 220 }}
        from={filters.from}
        to={filters.to}
        onChange={(from, to) => onChange({ ...filters, from: from ?? undefined, to: to ?? undefined })}
      />
    </div>
  )
}
