import { Alert, Badge, Button, Grid, Group, Paper, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBan, IconChartBar, IconCopy, IconPencil, IconRepeat, IconTag } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { rcsBubbles, useFallbackNote } from '../features/compose/components/preview.tsx'
import { hideSent } from '../features/compose/components/sent-notice.tsx'
import { describeSent } from '../features/compose/describe-sent.ts'
import { fromRcsData } from '../features/compose/draft.ts'
import { messageFormQuery } from '../features/compose/message-form.ts'
import {
  cancelMessage,
  isLive,
  type Message,
  messageQuery,
  previewResend,
  resendMessage,
  shownRcsQuery
} from '../features/messages/api/messages.ts'
import { DepartureNote } from '../features/messages/components/departure-note.tsx'
import { FinishNote } from '../features/messages/components/finish-note.tsx'
import { Funnel } from '../features/messages/components/funnel.tsx'
import { openLabelsDialog } from '../features/messages/components/labels-dialog.tsx'
import { MessageFacts } from '../features/messages/components/message-facts.tsx'
import { PauseButton, PausedNote } from '../features/messages/components/pause-button.tsx'
import { RecipientsTable } from '../features/messages/components/recipients-table.tsx'
import { StateBadge } from '../features/messages/components/state-badge.tsx'
import { SummaryBar } from '../features/messages/components/summary-bar.tsx'
import { ApiError } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { Page } from '../ui/page.tsx'
import { Spread } from '../ui/phone-screen.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: (id: number) => `Message ${id}`,
    labels: 'Name and tags',
    change: 'Change',
    duplicate: 'Duplicate',
    results: 'Detailed results',
    cancel: 'Cancel',
    cancelTitle: 'Cancel this message?',
    cancelHint: 'Messages that have not been sent yet are cancelled and refunded.',
    keep: 'Keep sending',
    cancelled: 'The message is cancelled.',
    resend: 'Resend to failed recipients',
    resendTitle: 'Resend to failed recipients?',
    resendHint: (recipients: string, credits: string) =>
      `Creates a new message. Recipients: ${recipients}. Credits: ${credits}.`,
    back: 'Back',
    progress: 'Progress',
    funnel: 'Results',
    heldUntil: (moment: string) => `Scheduled for ${moment}.`,
    shown: 'Content'
  },
  {
    title: (id: number) => `Message ${id}`,
    labels: 'Nom et étiquettes',
    change: 'Modifier',
    duplicate: 'Dupliquer',
    results: 'Résultats détaillés',
    cancel: 'Annuler',
    cancelTitle: 'Annuler ce message ?',
    cancelHint: 'Les messages pas encore envoyés sont annulés et remboursés.',
    keep: 'Ne pas annuler',
    cancelled: 'Le message est annulé.',
    resend: 'Renvoyer aux échecs',
    resendTitle: 'Renvoyer aux échecs ?',
    resendHint: (recipients: string, credits: string) =>
      `Crée un nouveau message. Destinataires : ${recipients}. Crédits : ${credits}.`,
    back: 'Retour',
    progress: 'Avancement',
    funnel: 'Résultats',
    heldUntil: (moment: string) => `Envoi prévu le ${moment}.`,
    shown: 'Contenu'
  }
)

export function MessagePage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, isError, error, refetch } = useQuery(messageQuery(Number(id)))
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return data ? <Details message={data} /> : <PageLoading />
}

function Details({ message }: { message: Message }) {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  return (
    <Page
      title={message.name ?? say.title(message.id)}
      about={
        <Group gap="xs" component="span">
          <StateBadge state={message.state} isPaused={message.paused_at !== undefined} />
          {message.name !== undefined && say.title(message.id)}
          {message.tags?.map((tag) => (
            <Badge key={tag} variant="default" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
      }
      actions={
        <>
          <Button
            component={Link}
            to={`/messages/${message.id}/results`}
            variant="default"
            leftSection={<IconChartBar size={18} aria-hidden />}
          >
            {say.results}
          </Button>
          <Actions message={message} />
        </>
      }
    >
      <DepartureNote message={message} />
      {message.paused_at !== undefined && (
        <PausedNote message={{ ...message, paused_at: message.paused_at }} timeZone={me?.time_zone} />
      )}
      {message.state === 'scheduled' && message.paused_at === undefined && (
        <Alert role="status">{say.heldUntil(formats.moment(message.scheduletimestamp))}</Alert>
      )}
      <Paper
        withBorder
        p="md"
        component="section"
        aria-label={say.progress}
        aria-live={isLive(message) ? 'polite' : 'off'}
      >
        <SummaryBar message={message} size="xl" hasLegend />
        <FinishNote message={message} timeZone={me?.time_zone} />
      </Paper>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Paper withBorder p="md" h="100%" component="section" aria-label={say.funnel}>
            <Title order={2} size="h4" mb="sm">
              {say.funnel}
            </Title>
            <Funnel message={message} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <MessageFacts message={message} />
        </Grid.Col>
        {message.channel === 'rcs' && (
          <Grid.Col span={12}>
            <Shown message={message} />
          </Grid.Col>
        )}
      </Grid>
      <RecipientsTable message={message} />
    </Page>
  )
}

function Actions({ message }: { message: Message }) {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['messages'] })
  const cancel = useMutation({
    mutationFn: () => cancelMessage(message.id),
    onSuccess() {
      hideSent(message.id)
      notifications.show({ color: 'green', message: say.cancelled })
      void refresh()
      void queries.invalidateQueries({ queryKey: ['credits'] })
    }
  })
  const resend = useMutation({
    mutationFn: () => resendMessage(message),
    onSuccess(sent) {
      notifications.show({ color: 'green', message: describeSent(sent, me?.time_zone ?? 'Europe/Paris') })
      void refresh()
      void navigate({ to: '/messages/$id', params: { id: String(sent.message_id) } })
    }
  })
  const preview = useMutation({
    mutationFn: () => previewResend(message),
    onSuccess: ({ recipients_count, credits_required }) =>
      askFirst({
        title: say.resendTitle,
        children: <Text>{say.resendHint(formats.number(recipients_count), formats.number(credits_required))}</Text>,
        labels: { confirm: say.resend, cancel: say.back },
        onConfirm: () => resend.mutate()
      })
  })
  const maySend = useMay('send')
  const { data: form } = useQuery({ ...messageFormQuery(message.id), enabled: maySend })
  const canCancel =
    message.state === 'scheduled' ||
    message.state === 'sending' ||
    (message.channel === 'rcs' && message.summary.sent > 0)
  if (!maySend) return null
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTag size={18} aria-hidden />}
        onClick={() => openLabelsDialog(message)}
      >
        {say.labels}
      </Button>
      {form?.kind && message.state === 'scheduled' && (
        <Button
          component={Link}
          to="/send"
          search={{ replace: message.id } as never}
          variant="default"
          leftSection={<IconPencil size={18} aria-hidden />}
        >
          {say.change}
        </Button>
      )}
      {form?.kind && (
        <Button
          component={Link}
          to="/send"
          search={{ copy: message.id } as never}
          variant="default"
          leftSection={<IconCopy size={18} aria-hidden />}
        >
          {say.duplicate}
        </Button>
      )}
      {(message.state === 'scheduled' || message.state === 'sending' || message.paused_at !== undefined) && (
        <PauseButton message={message} />
      )}
      {canCancel && (
        <Button
          color="red"
          variant="light"
          leftSection={<IconBan size={18} aria-hidden />}
          loading={cancel.isPending}
          onClick={() =>
            askFirst({
              title: say.cancelTitle,
              children: <Text>{say.cancelHint}</Text>,
              labels: { confirm: say.cancel, cancel: say.keep },
              confirmProps: { color: 'red' },
              onConfirm: () => cancel.mutate()
            })
          }
        >
          {say.cancel}
        </Button>
      )}
      {message.summary.failed > 0 && message.channel === 'sms' && (
        <Button
          variant="default"
          leftSection={<IconRepeat size={18} aria-hidden />}
          loading={preview.isPending || resend.isPending}
          onClick={() => preview.mutate()}
        >
          {say.resend}
        </Button>
      )}
    </>
  )
}

/** The content of an RCS, and its fallback SMS. */
function Shown({ message }: { message: Message }) {
  const say = useWords(words)
  const note = useFallbackNote()
  const { data, isError, error, refetch } = useQuery(shownRcsQuery(message.id))
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  const bubbles = data ? rcsBubbles(fromRcsData(data.type, data.data)) : []
  const fallback = data?.fallback?.content
  return (
    <Paper withBorder p="md" component="section" aria-label={say.shown}>
      <Title order={2} size="h4" mb="sm">
        {say.shown}
      </Title>
      <Spread bubbles={fallback ? [...bubbles, { key: 'fallback', text: fallback, note }] : bubbles} />
    </Paper>
  )
}
