import { Alert, Badge, Button, Grid, Group, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBan, IconChartBar, IconCopy, IconPencil, IconRepeat, IconTag, IconUsers } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
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
  pageRecipients,
  previewResend,
  type Recipient,
  resendMessage,
  shownRcsQuery
} from '../features/messages/api/messages.ts'
import { DepartureNote } from '../features/messages/components/departure-note.tsx'
import { FinishNote } from '../features/messages/components/finish-note.tsx'
import { Funnel } from '../features/messages/components/funnel.tsx'
import { openLabelsDialog } from '../features/messages/components/labels-dialog.tsx'
import { PauseButton, PausedNote } from '../features/messages/components/pause-button.tsx'
import { DeliverBadge, StateBadge } from '../features/messages/components/state-badge.tsx'
import { SummaryBar } from '../features/messages/components/summary-bar.tsx'
import { TimelineDrawer } from '../features/messages/components/timeline-drawer.tsx'
import { stateWords } from '../features/messages/words.ts'
import { openPhone } from '../features/phones/open-phone.ts'
import { ApiError, call, download } from '../lib/api.ts'
import { describeSeconds } from '../lib/describe-seconds.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Facts } from '../ui/facts.tsx'
import { NumberLink } from '../ui/number-link.tsx'
import { Page } from '../ui/page.tsx'
import { Spread } from '../ui/phone-screen.tsx'
import { EmptyState, ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: (id: number) => `Message ${id}`,
    labels: 'Name and tags',
    change: 'Change',
    duplicate: 'Duplicate',
    results: 'Detailed results',
    replaces: 'Replaces message',
    replacedBy: 'Replaced by message',
    cancel: 'Cancel',
    cancelTitle: 'Cancel this message?',
    cancelHint: 'Messages that have not been sent yet are cancelled and refunded.',
    keep: 'Keep sending',
    cancelled: 'The message is cancelled.',
    resend: 'Resend to failed recipients',
    resendTitle: 'Resend to failed recipients?',
    resendHint: (recipients: string, credits: string) =>
      `Creates a new message. Recipients: ${recipients}. Credits: ${credits}.`,
    resendOf: 'Resend of message',
    validity: 'Valid for',
    until: (validity: string, moment: string) => `${validity}, until ${moment}`,
    deadline: 'Deadline',
    late: 'Late since',
    pace: 'Recipients per hour',
    priority: 'Priority',
    low: 'Low',
    high: 'High',
    flash: 'Flash message',
    yes: 'Yes',
    octets: 'Binary data',
    header: 'Header',
    back: 'Back',
    progress: 'Progress',
    funnel: 'Results',
    facts: 'Details',
    recipients: 'Recipients',
    recipient: 'Recipient',
    state: 'State',
    channel: 'Channel',
    sentAt: 'Sent',
    credits: 'Credits',
    refunded: (all: string, refunded: string) => `${all}, ${refunded} refunded`,
    from: 'Sender',
    departure: 'Send time',
    category: 'Message type',
    transactional: 'Transactional',
    marketing: 'Marketing',
    link: 'Tracked link',
    optOuts: 'Opt-outs',
    proof: 'Export the consents',
    reference: 'Your reference',
    all: 'All states',
    filter: 'Show',
    noneFound: 'Nobody is in this state',
    heldUntil: (moment: string) => `Scheduled for ${moment}.`,
    shown: 'Content'
  },
  {
    title: (id: number) => `Message ${id}`,
    labels: 'Nom et étiquettes',
    change: 'Modifier',
    duplicate: 'Dupliquer',
    results: 'Résultats détaillés',
    replaces: 'Remplace le message',
    replacedBy: 'Remplacé par le message',
    cancel: 'Annuler',
    cancelTitle: 'Annuler ce message ?',
    cancelHint: 'Les messages pas encore envoyés sont annulés et remboursés.',
    keep: 'Ne pas annuler',
    cancelled: 'Le message est annulé.',
    resend: 'Renvoyer aux échecs',
    resendTitle: 'Renvoyer aux échecs ?',
    resendHint: (recipients: string, credits: string) =>
      `Crée un nouveau message. Destinataires : ${recipients}. Crédits : ${credits}.`,
    resendOf: 'Renvoi du message',
    validity: 'Validité',
    until: (validity: string, moment: string) => `${validity}, jusqu’au ${moment}`,
    deadline: 'Échéance',
    late: 'En retard depuis',
    pace: 'Destinataires par heure',
    priority: 'Priorité',
    low: 'Basse',
    high: 'Haute',
    flash: 'Message flash',
    yes: 'Oui',
    octets: 'Données binaires',
    header: 'En-tête',
    back: 'Retour',
    progress: 'Avancement',
    funnel: 'Résultats',
    facts: 'Détails',
    recipients: 'Destinataires',
    recipient: 'Destinataire',
    state: 'Statut',
    channel: 'Canal',
    sentAt: 'Envoyé',
    credits: 'Crédits',
    refunded: (all: string, refunded: string) =>
      `${all}, dont ${refunded} ${refunded === '1' ? 'remboursé' : 'remboursés'}`,
    from: 'Expéditeur',
    departure: 'Date d’envoi',
    category: 'Type de message',
    transactional: 'Transactionnel',
    marketing: 'Marketing',
    link: 'Lien suivi',
    optOuts: 'Désinscriptions',
    proof: 'Exporter les consentements',
    reference: 'Votre référence',
    all: 'Tous les statuts',
    filter: 'Afficher',
    noneFound: 'Aucun destinataire n’a ce statut',
    heldUntil: (moment: string) => `Envoi prévu le ${moment}.`,
    shown: 'Contenu'
  }
)

const LIVE_MS = 2_000
const QUIET_MS = 5_000

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
          <Particulars message={message} />
        </Grid.Col>
        {message.channel === 'rcs' && (
          <Grid.Col span={12}>
            <Shown message={message} />
          </Grid.Col>
        )}
      </Grid>
      <Recipients message={message} />
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

function Particulars({ message }: { message: Message }) {
  const say = useWords(words)
  const language = useLanguage()
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const { data: left } = useQuery({
    queryKey: ['message', message.id, 'opt-outs'],
    queryFn: ({ signal }) => call('readMessageOptOuts', { path: { id: message.id }, signal })
  })
  const optOuts = left && formats.number(left.opt_outs)
  const required = formats.number(message.credits_required)
  const refunded = message.credits_refunded
  const validity =
    message.validity === undefined
      ? null
      : say.until(describeSeconds(message.validity, language), formats.moment(message.expires_at ?? ''))
  const rows: [string, string | null][] = [
    [say.channel, message.channel.toUpperCase()],
    [say.from, message.sender],
    [say.category, say[message.category]],
    [say.departure, formats.moment(message.scheduletimestamp)],
    [say.credits, refunded > 0 ? say.refunded(required, formats.number(refunded)) : required],
    [say.link, message.shorturl_url],
    [say.optOuts, optOuts ?? null],
    [say.reference, message.external_id],
    [say.resendOf, message.resend_of === null ? null : String(message.resend_of)],
    [say.replaces, message.replaces === undefined ? null : String(message.replaces)],
    [say.replacedBy, message.replaced_by === undefined ? null : String(message.replaced_by)],
    [say.validity, validity],
    [say.deadline, message.deadline === undefined ? null : formats.moment(message.deadline)],
    [say.late, message.late_at === undefined ? null : formats.moment(message.late_at)],
    [say.pace, message.spread ? formats.number(message.spread.per_hour) : null],
    [say.priority, message.priority ? say[message.priority] : null],
    [say.flash, message.flash ? say.yes : null],
    [say.octets, message.binary?.data ?? null],
    [say.header, message.binary?.udh || null]
  ]
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={say.facts}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say.facts}
        </Title>
        {message.channel === 'sms' && !message.binary && <Text className="words">{message.content}</Text>}
        <Facts rows={rows} nameWidth={130} />
        {message.category === 'marketing' && (
          <ExportButton
            label={say.proof}
            fetchFile={() => download('extractMessageConsents', { id: message.id })}
            name={`consents-${message.id}.csv`}
          />
        )}
      </Stack>
    </Paper>
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

function Recipients({ message }: { message: Message }) {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const states = useWords(stateWords).deliver
  const [deliver, setDeliver] = useState<string | null>(null)
  const [shown, setShown] = useState<Recipient>()
  const extract = message.channel === 'sms' ? 'extractSmsRecipients' : 'extractRcsRecipients'
  const columns: Column<Recipient>[] = [
    {
      key: 'recipient',
      title: say.recipient,
      width: 'minmax(140px, 1fr)',
      cell: ({ recipient }) => <NumberLink number={recipient} />
    },
    {
      key: 'state',
      title: say.state,
      width: 'minmax(120px, 1fr)',
      cell: ({ deliver }) => <DeliverBadge deliver={deliver} />
    },
    ...(message.channel === 'rcs'
      ? [
          {
            key: 'channel',
            title: say.channel,
            width: '80px',
            isWide: true,
            cell: (row: Recipient) => <Badge variant="default">{'channel' in row ? row.channel : 'sms'}</Badge>
          }
        ]
      : []),
    {
      key: 'sent',
      title: say.sentAt,
      width: '180px',
      isWide: true,
      cell: ({ sent_at: at }) => (at ? <span className="digits">{formats.moment(at)}</span> : '')
    },
    {
      key: 'credits',
      title: say.credits,
      width: '80px',
      isWide: true,
      align: 'right',
      cell: ({ credits_required: credits }) => <span className="digits">{formats.number(credits)}</span>
    }
  ]
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          {say.recipients}
        </Title>
        <Group gap="xs">
          <ExportButton fetchFile={() => download(extract, { id: message.id })} name={`message-${message.id}.csv`} />
          <Select
            aria-label={say.filter}
            placeholder={say.all}
            clearable
            w={220}
            value={deliver}
            onChange={setDeliver}
            data={Object.entries(states).map(([value, label]) => ({ value, label }))}
          />
        </Group>
      </Group>
      <DataTable<Recipient>
        label={say.recipients}
        columns={columns}
        queryKey={['messages', message.id, 'recipients', deliver]}
        fetchPage={(page, signal) =>
          pageRecipients(message, page, deliver === null ? undefined : Number(deliver), signal)
        }
        rowKey={({ id }) => id}
        onOpen={setShown}
        // Also when the message is over: the last states may have come after the rows.
        refetchMs={isLive(message) ? LIVE_MS : QUIET_MS}
        empty={<EmptyState icon={<IconUsers size={28} aria-hidden />} title={say.noneFound} />}
      />
      <TimelineDrawer
        messageId={message.id}
        recipient={shown}
        timeZone={me?.time_zone}
        {...(me?.is_sandbox && { onOpenPhone: openPhone })}
        onClose={() => setShown(undefined)}
      />
    </Stack>
  )
}
