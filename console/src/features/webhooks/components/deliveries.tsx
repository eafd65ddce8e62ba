import { Alert, Badge, Button, Code, Drawer, Group, Select, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconHistory, IconRepeat } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useSentences } from '../../../lib/refusals.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import { type Delivery, replayDelivery, type WebhookType } from '../api/webhooks.ts'
import { webhookWords } from '../words.ts'

const words = defineWords(
  {
    title: 'Deliveries',
    none: 'Nothing was delivered yet',
    noneHint: 'Requests to your webhooks appear here, with the responses.',
    type: 'Type',
    status: 'Status',
    all: 'All',
    when: 'Date',
    answer: 'Response',
    attempts: 'Attempts',
    address: 'URL',
    delivery: (id: number) => `Delivery ${id}`,
    payload: 'Request',
    response: 'Response',
    error: 'Error',
    next: 'Next attempt',
    took: 'Took',
    replay: 'Redeliver',
    replayed: 'The event is delivered again.',
    erased: 'The payload is no longer kept.'
  },
  {
    title: 'Livraisons',
    none: 'Rien n’a encore été livré',
    noneHint: 'Les requêtes vers vos webhooks apparaissent ici, avec les réponses.',
    type: 'Type',
    status: 'Statut',
    all: 'Tous',
    when: 'Date',
    answer: 'Réponse',
    attempts: 'Essais',
    address: 'URL',
    delivery: (id: number) => `Livraison ${id}`,
    payload: 'Requête',
    response: 'Réponse',
    error: 'Erreur',
    next: 'Prochain essai',
    took: 'Durée',
    replay: 'Livrer à nouveau',
    replayed: 'La livraison repart.',
    erased: 'Le contenu n’est plus conservé.'
  }
)

const COLORS: Record<Delivery['status'], string> = {
  pending: 'telegraph',
  succeeded: 'teal.9',
  retrying: 'orange.9',
  failed: 'red.8'
}
const REFRESH_MS = 3_000

/** The deliveries, with the answers of receivers. */
export function Deliveries({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const translate = useSentences()
  const names = useWords(webhookWords)
  const formats = useFormats(timeZone)
  const [type, setType] = useState<WebhookType>()
  const [status, setStatus] = useState<Delivery['status']>()
  const [shown, setShown] = useState<Delivery>()
  const columns: Column<Delivery>[] = [
    {
      key: 'type',
      title: say.type,
      width: 'minmax(110px, 1fr)',
      cell: (delivery, isNarrow) => (
        <>
          {names.types[delivery.type]}
          {isNarrow && (
            <Text size="xs" c="dimmed" className="cut digits">
              {formats.moment(delivery.created_at)}
            </Text>
          )}
        </>
      )
    },
    {
      key: 'status',
      title: say.status,
      width: 'minmax(120px, 180px)',
      cell: (delivery) => <StatusBadge status={delivery.status} />
    },
    {
      key: 'answer',
      title: say.answer,
      width: 'minmax(90px, 1fr)',
      isWide: true,
      cell: (delivery) => delivery.response_status ?? translate(delivery.error ?? '')
    },
    {
      key: 'attempts',
      title: say.attempts,
      width: '80px',
      isWide: true,
      align: 'right',
      cell: (delivery) => delivery.attempts
    },
    {
      key: 'when',
      title: say.when,
      width: '180px',
      isWide: true,
      cell: (delivery) => <span className="digits">{formats.moment(delivery.created_at)}</span>
    }
  ]
  const options = (given: Record<string, string>) => Object.entries(given).map(([value, label]) => ({ value, label }))
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          {say.title}
        </Title>
        <Group gap="xs">
          <Select
            aria-label={say.type}
            placeholder={say.type}
            clearable
            w={190}
            data={options(names.types)}
            value={type ?? null}
            onChange={(value) => setType((value as WebhookType) ?? undefined)}
          />
          <Select
            aria-label={say.status}
            placeholder={say.status}
            clearable
            w={190}
            data={options(names.status)}
            value={status ?? null}
            onChange={(value) => setStatus((value as Delivery['status']) ?? undefined)}
          />
        </Group>
      </Group>
      <DataTable<Delivery>
        key={`${type} ${status}`}
        label={say.title}
        columns={columns}
        queryKey={['deliveries', type, status]}
        fetchPage={(page, signal) => call('pageDeliveries', { query: { ...page, type, status }, signal })}
        rowKey={({ id }) => id}
        onOpen={setShown}
        refetchMs={REFRESH_MS}
        height={416}
        empty={
          <EmptyState icon={<IconHistory size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
      <Drawer
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        position="right"
        size="lg"
        title={shown ? say.delivery(shown.id) : ''}
      >
        {shown && <DeliveryDetails delivery={shown} timeZone={timeZone} onClose={() => setShown(undefined)} />}
      </Drawer>
    </Stack>
  )
}

function StatusBadge({ status }: { status: Delivery['status'] }) {
  const names = useWords(webhookWords)
  return (
    <Badge color={COLORS[status]} variant="filled" tt="none">
      {names.status[status]}
    </Badge>
  )
}

function DeliveryDetails({
  delivery,
  timeZone,
  onClose
}: {
  delivery: Delivery
  timeZone: string | undefined
  onClose(): void
}) {
  const say = useWords(words)
  const translate = useSentences()
  const formats = useFormats(timeZone)
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: () => replayDelivery(delivery.id),
    onSuccess() {
      notifications.show({ color: 'green', message: say.replayed })
      void queries.invalidateQueries({ queryKey: ['deliveries'] })
      onClose()
    }
  })
  const rows: [string, string | null][] = [
    [say.address, delivery.url],
    [say.when, formats.exact(delivery.created_at)],
    [say.attempts, String(delivery.attempts)],
    [say.answer, delivery.response_status === null ? null : String(delivery.response_status)],
    [say.took, delivery.response_ms === null ? null : `${formats.number(delivery.response_ms)} ms`],
    [say.error, delivery.error && translate(delivery.error)],
    [say.next, delivery.next_attempt_at && formats.exact(delivery.next_attempt_at)]
  ]
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge status={delivery.status} />
        <For permission="webhooks">
          <Button
            variant="light"
            leftSection={<IconRepeat size={16} aria-hidden />}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          >
            {say.replay}
          </Button>
        </For>
      </Group>
      <Facts rows={rows} nameWidth={120} />
      <Text fw={600}>{say.payload}</Text>
      {delivery.payload ? (
        <Code block className="words">
          {JSON.stringify(delivery.payload, null, 2)}
        </Code>
      ) : (
        <Alert>{say.erased}</Alert>
      )}
      {delivery.response && (
        <>
          <Text fw={600}>{say.response}</Text>
          <Code block className="words">
            {delivery.response}
          </Code>
        </>
      )}
    </Stack>
  )
}
