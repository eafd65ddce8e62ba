import { Badge, Group, Select, Stack, Title } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { download } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { ExportButton } from '../../../ui/export-button.tsx'
import { NumberLink } from '../../../ui/number-link.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { useMe } from '../../account/api/me.ts'
import { openPhone } from '../../phones/open-phone.ts'
import { isLive, type Message, pageRecipients, type Recipient } from '../api/messages.ts'
import { stateWords } from '../words.ts'
import { DeliverBadge } from './state-badge.tsx'
import { TimelineDrawer } from './timeline-drawer.tsx'

const words = defineWords(
  {
    recipients: 'Recipients',
    recipient: 'Recipient',
    state: 'State',
    channel: 'Channel',
    sentAt: 'Sent',
    credits: 'Credits',
    all: 'All states',
    filter: 'Show',
    noneFound: 'Nobody is in this state'
  },
  {
    recipients: 'Destinataires',
    recipient: 'Destinataire',
    state: 'Statut',
    channel: 'Canal',
    sentAt: 'Envoyé',
    credits: 'Crédits',
    all: 'Tous les statuts',
    filter: 'Afficher',
    noneFound: 'Aucun destinataire n’a ce statut'
  }
)

const LIVE_MS = 2_000
const QUIET_MS = 5_000

/** The recipients of a message, by state if wanted, each with its timeline. */
export function RecipientsTable({ message }: { message: Message }) {
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
