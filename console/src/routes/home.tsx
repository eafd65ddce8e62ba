import { Anchor, Box, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconDeviceMobile, IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { creditsQuery } from '../features/account/api/credits.ts'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import { dailyStatsQuery } from '../features/home/api/daily-stats.ts'
import { Attention } from '../features/home/components/attention.tsx'
import { FirstSteps } from '../features/home/components/first-steps.tsx'
import { TrafficChart } from '../features/home/components/traffic-chart.tsx'
import { recentMessagesQuery } from '../features/messages/api/messages.ts'
import { StateBadge } from '../features/messages/components/state-badge.tsx'
import { SummaryBar } from '../features/messages/components/summary-bar.tsx'
import { useFormats } from '../lib/format.ts'
import { counted, defineWords, useLanguage, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Home',
    credits: (label: string) => `${label} credits`,
    each: (price: string) => `${price} each`,
    today: 'Sent today',
    rate: 'Delivered today',
    recipient: 'recipient',
    recipients: 'recipients',
    reply: 'replied',
    replies: 'replied',
    traffic: 'The last 30 days',
    recent: 'Recent messages',
    all: 'All messages',
    none: 'Send your first message',
    noneHint:
      'In the sandbox nothing leaves this machine: send to +33 6 39 98 00 05 and watch it arrive, and answer, on a virtual phone.',
    noneHintReal: 'Write it, see its cost, and follow it to each phone.',
    send: 'Send',
    phone: 'Virtual phone'
  },
  {
    title: 'Accueil',
    credits: (label: string) => `Crédits ${label}`,
    each: (price: string) => `${price} l’unité`,
    today: 'Envoyés aujourd’hui',
    rate: 'Délivrés aujourd’hui',
    recipient: 'destinataire',
    recipients: 'destinataires',
    reply: 'réponse',
    replies: 'réponses',
    traffic: 'Les 30 derniers jours',
    recent: 'Messages récents',
    all: 'Tous les messages',
    none: 'Envoyez votre premier message',
    noneHint:
      'Dans le bac à sable rien ne quitte cette machine : envoyez au 06 39 98 00 05 et voyez-le arriver, et répondre, sur un téléphone virtuel.',
    noneHintReal: 'Écrivez-le, voyez son coût, et suivez-le jusqu’à chaque téléphone.',
    send: 'Envoyer',
    phone: 'Téléphone virtuel'
  }
)

export function Home() {
  const say = useWords(words)
  const stats = useQuery(dailyStatsQuery)
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
      <Attention />
      <FirstSteps />
      <Figures />
      <Paper withBorder p="md" component="section" aria-label={say.traffic}>
        <Title order={2} size="h4" mb="md">
          {say.traffic}
        </Title>
        {stats.isError && !stats.data ? (
          <ErrorState error={stats.error} reset={() => void stats.refetch()} />
        ) : stats.data ? (
          <TrafficChart days={stats.data} />
        ) : (
          <Skeleton h={260} />
        )}
      </Paper>
      <RecentMessages />
    </Page>
  )
}

/** As high as a note, so that all figures of a row are. */
const NO_NOTE = '\u00a0'

function Figures() {
  const say = useWords(words)
  const formats = useFormats()
  const language = useLanguage()
  const credits = useQuery(creditsQuery)
  const stats = useQuery(dailyStatsQuery)
  const today = stats.data?.at(-1)
  // The chart below shows the error.
  const unknown = stats.isError ? '–' : undefined
  if (credits.isError && !credits.data) {
    return <ErrorState error={credits.error} reset={() => void credits.refetch()} />
  }
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }}>
      {(credits.data ?? [undefined, undefined]).map((each, index) => (
        <Figure
          key={each?.msgType ?? index}
          name={each && say.credits(each.label)}
          value={each && formats.number(each.credits)}
          note={
            each &&
            (each.unit_price && each.currency ? say.each(formats.money(each.unit_price, each.currency)) : NO_NOTE)
          }
        />
      ))}
      <Figure
        name={say.today}
        value={today ? formats.number(today.sent) : unknown}
        note={today ? counted(language, today.replied, say.reply, say.replies) : unknown}
      />
      <Figure
        name={say.rate}
        value={today ? formats.percent(today.delivered, today.sent) : unknown}
        note={today ? counted(language, today.delivered, say.recipient, say.recipients) : unknown}
      />
    </SimpleGrid>
  )
}

function Figure({
  name,
  value,
  note
}: {
  name: string | undefined
  value: string | undefined
  note: string | undefined
}) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name ?? <Skeleton h={14} />}
      </Text>
      <Text fz="clamp(1.125rem, 5.6vw, 1.625rem)" lh="2.5rem" fw={700} className="digits words">
        {value ?? <Skeleton h={36} w={90} />}
      </Text>
      <Text size="sm" c="dimmed">
        {note ?? <Skeleton h={14} w={70} />}
      </Text>
    </Paper>
  )
}

function RecentMessages() {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const { data, isError, error, refetch } = useQuery(recentMessagesQuery)
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return (
    <Paper withBorder p="md" component="section" aria-label={say.recent}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {say.recent}
        </Title>
        {data && data.items.length > 0 && (
          <Anchor component={Link} to="/messages">
            {say.all}
          </Anchor>
        )}
      </Group>
      {!data && <RowsLoading rows={4} />}
      {data?.items.length === 0 && (
        <EmptyState
          icon={<IconSend size={28} aria-hidden />}
          title={say.none}
          action={
            <Group>
              <For permission="send">
                <Button component={Link} to="/send">
                  {say.send}
                </Button>
              </For>
              {me?.is_sandbox && (
                <Button
                  component={Link}
                  to="/phone"
                  variant="default"
                  leftSection={<IconDeviceMobile size={18} aria-hidden />}
                >
                  {say.phone}
                </Button>
              )}
            </Group>
          }
        >
          {me?.is_sandbox ? say.noneHint : say.noneHintReal}
        </EmptyState>
      )}
      <Stack gap="sm">
        {data?.items.map((message) => (
          <Anchor key={message.id} component={Link} to={`/messages/${message.id}`} underline="never" c="inherit">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing={4}>
              <Group gap="sm" wrap="nowrap" miw={0}>
                {/* Texts begin below each other, whatever the state. */}
                <Box w={104} display="flex" style={{ flexShrink: 0 }}>
                  <StateBadge state={message.state} />
                </Box>
                <Text size="sm" className="cut">
                  {message.name ?? message.content}
                </Text>
              </Group>
              <Group gap="sm" wrap="nowrap">
                <Text size="sm" c="dimmed" className="digits" style={{ whiteSpace: 'nowrap' }}>
                  {formats.moment(message.scheduletimestamp)}
                </Text>
                <div style={{ flex: 1 }}>
                  <SummaryBar message={message} size="md" />
                </div>
              </Group>
            </SimpleGrid>
          </Anchor>
        ))}
      </Stack>
    </Paper>
  )
}
