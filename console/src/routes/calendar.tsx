import { ActionIcon, Anchor, Badge, Button, Flex, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { type Campaign, calendarQuery } from '../features/messages/api/calendar.ts'
import { StateBadge } from '../features/messages/components/state-badge.tsx'
import { isDay, monthOf, moved, weeksOf } from '../features/messages/month.ts'
import { useFormats } from '../lib/format.ts'
import { withFirst } from '../lib/french/typography.ts'
import { capitalised, counted, defineWords, localeOf, useLanguage, useWords } from '../lib/language.ts'
import { firstDayOf } from '../lib/locale-dates.ts'
import { Page } from '../ui/page.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'
import styles from './calendar.module.css'

const words = defineWords(
  {
    title: 'Calendar',
    about: 'Scheduled and sent messages: those with a name, with many recipients or with a send time.',
    previous: 'Previous month',
    next: 'Next month',
    today: 'Today',
    messages: 'Messages',
    one: 'message',
    other: 'messages',
    none: 'Nothing on this day.',
    recipient: 'recipient',
    recipients: 'recipients',
    departing: 'Recipients are found at the send time',
    more: (count: string) => `${count} more`,
    all: (count: string) => `${count} more, in Messages`
  },
  {
    title: 'Calendrier',
    about: 'Messages programmés et envoyés : ceux qui ont un nom, beaucoup de destinataires ou une date d’envoi.',
    previous: 'Mois précédent',
    next: 'Mois suivant',
    today: 'Aujourd’hui',
    messages: 'Messages',
    one: 'message',
    other: 'messages',
    none: 'Rien ce jour-là.',
    recipient: 'destinataire',
    recipients: 'destinataires',
    departing: 'Destinataires recherchés à la date d’envoi',
    more: (count: string) => `${count} de plus`,
    all: (count: string) => `${count} de plus, dans Messages`
  }
)

/** As many lines as a day has room for. */
const SHOWN_MAX = 3

export function CalendarPage() {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats()
  const navigate = useNavigate()
  const timeZone = useMe()?.time_zone ?? 'Europe/Paris'
  const today = new Intl.DateTimeFormat('sv', { timeZone }).format(new Date())
  const { day: given } = useSearch({ strict: false }) as { day?: string }
  const chosen = given !== undefined && isDay(given) ? given : today
  const weeks = weeksOf(monthOf(chosen), firstDayOf(localeOf(language)))
  const from = weeks[0]?.[0] ?? chosen
  const to = weeks.at(-1)?.at(-1) ?? chosen
  const { data, error, refetch } = useQuery({ ...calendarQuery({ from, to }), placeholderData: keepPreviousData })
  const days = new Map(data?.days.map((each) => [each.day, each]))
  const utc = (options: Intl.DateTimeFormatOptions, day: string) =>
    withFirst(
      new Intl.DateTimeFormat(localeOf(language), { timeZone: 'UTC', ...options }).format(new Date(`${day}T00:00:00Z`)),
      language
    )
  const isByKey = useRef(false)
  const choose = (day: string) => void navigate({ to: '/calendar', search: { day } as never, replace: true })

  function onKey(event: React.KeyboardEvent<HTMLElement>): void {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    isByKey.current = true
    choose(moved(chosen, step))
  }
  // The day that a key chose gets the focus once it is there: it may be in another month.
  useEffect(() => {
    if (isByKey.current) document.getElementById(`day-${chosen}`)?.focus()
    isByKey.current = false
  }, [chosen])

  return (
    <Page title={say.title} about={say.about}>
      <Group justify="space-between">
        <Title order={2} size="h4" aria-live="polite">
          {capitalised(utc({ month: 'long', year: 'numeric' }, chosen), language)}
        </Title>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => choose(today)}>
            {say.today}
          </Button>
          <ActionIcon variant="default" aria-label={say.previous} onClick={() => choose(moved(chosen, { months: -1 }))}>
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={say.next} onClick={() => choose(moved(chosen, { months: 1 }))}>
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      {error && !data ? (
        <ErrorState error={error} reset={() => void refetch()} />
      ) : !data ? (
        <RowsLoading rows={5} height={80} />
      ) : (
        <table className={styles.month} onKeyDown={onKey}>
          <caption className={styles.hidden}>{utc({ month: 'long', year: 'numeric' }, chosen)}</caption>
          <thead>
            <tr>
              {weeks[0]?.map((day) => (
                <th key={day} scope="col" abbr={utc({ weekday: 'long' }, day)}>
                  {capitalised(utc({ weekday: 'short' }, day), language)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((day) => {
                  const { campaigns = [], campaigns_count: count = 0 } = days.get(day) ?? {}
                  // The last line says how many have none.
                  const shown = count > SHOWN_MAX ? SHOWN_MAX - 1 : SHOWN_MAX
                  const isInMonth = monthOf(day) === monthOf(chosen)
                  return (
                    <td key={day} data-outside={!isInMonth || undefined} data-today={day === today || undefined}>
                      <UnstyledButton
                        id={`day-${day}`}
                        className={styles.day}
                        aria-pressed={day === chosen}
                        tabIndex={day === chosen ? 0 : -1}
                        onClick={() => choose(day)}
                      >
                        <span className={styles.number} aria-hidden>
                          {Number(day.slice(-2))}
                        </span>
                        {count > 0 && (
                          <span className={styles.count} aria-hidden>
                            {count}
                          </span>
                        )}
                        <span className={styles.hidden}>
                          {utc({ dateStyle: 'full' }, day)}: {counted(language, count, say.one, say.other)}
                        </span>
                        {campaigns.slice(0, shown).map((campaign) => (
                          <span key={campaign.id} className={styles.campaign} data-state={campaign.state}>
                            {campaign.name ?? campaign.preview}
                          </span>
                        ))}
                        {count > shown && (
                          <span className={styles.campaign} aria-hidden>
                            {say.more(formats.number(count - shown))}
                          </span>
                        )}
                      </UnstyledButton>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <section aria-label={say.messages}>
        <Title order={2} size="h4" mb="xs">
          {capitalised(utc({ dateStyle: 'full' }, chosen), language)}
        </Title>
        <DayList
          campaigns={days.get(chosen)?.campaigns ?? []}
          count={days.get(chosen)?.campaigns_count ?? 0}
          day={chosen}
          timeZone={timeZone}
        />
      </section>
    </Page>
  )
}

const STEPS: Record<string, { days?: number; months?: number }> = {
  ArrowLeft: { days: -1 },
  ArrowRight: { days: 1 },
  ArrowUp: { days: -7 },
  ArrowDown: { days: 7 },
  PageUp: { months: -1 },
  PageDown: { months: 1 }
}

interface DayGiven {
  /** The first ones of the day. */
  campaigns: Campaign[]
  /** Of all. */
  count: number
  day: string
  timeZone: string
}

function DayList({ campaigns, count, day, timeZone }: DayGiven) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats(timeZone)
  if (campaigns.length === 0) return <Text c="dimmed">{say.none}</Text>
  return (
    <Stack gap="xs">
      {campaigns.map((campaign) => (
        <Group key={campaign.id} gap="sm" wrap="nowrap" align="flex-start">
          <Text className="digits" size="sm">
            {formats.time(campaign.scheduled_at)}
          </Text>
          <Flex direction={{ base: 'column', sm: 'row' }} gap={{ base: 4, sm: 'sm' }} miw={0} flex={1}>
            <div style={{ minWidth: 0, flex: 1 }}>
              <Anchor component={Link} to={`/messages/${campaign.id}`} display="block" className="cut">
                {campaign.name ?? (campaign.preview || String(campaign.id))}
              </Anchor>
              <Text size="xs" c="dimmed">
                {campaign.is_departing
                  ? say.departing
                  : counted(language, campaign.recipients_count, say.recipient, say.recipients)}
              </Text>
            </div>
            <Group gap="xs" wrap="nowrap" align="flex-start" style={{ flexShrink: 0 }}>
              <Badge variant="default">{campaign.channel}</Badge>
              <StateBadge state={campaign.state} isPaused={campaign.is_paused} />
            </Group>
          </Flex>
        </Group>
      ))}
      {count > campaigns.length && (
        <Anchor component={Link} to="/messages" search={{ from: day, to: day } as never}>
          {say.all(formats.number(count - campaigns.length))}
        </Anchor>
      )}
    </Stack>
  )
}
