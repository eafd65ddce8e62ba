import { Button, Group, Modal, Pagination, Select, Stack, Textarea } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { EmptyState, ErrorState, PageLoading } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import type { SenderRequest } from '../api/senders.ts'
import { senderWords } from '../words.ts'
import { SenderCard } from './sender-card.tsx'

const words = defineWords(
  {
    state: 'State',
    all: 'All',
    none: 'Nothing to decide',
    noneHint: 'Senders that accounts declare appear here.',
    approve: 'Approve',
    refuse: 'Refuse',
    disable: 'Disable',
    enable: 'Enable',
    account: 'Account',
    mode: 'Mode',
    volume: 'Messages, 30 days',
    since: 'Account since',
    reason: 'Reason, which the account reads',
    back: 'Back',
    refuseTitle: (name: string) => `Refuse ${name}`,
    disableTitle: (name: string) => `Disable ${name}`,
    pages: 'Pages'
  },
  {
    state: 'Statut',
    all: 'Tous',
    none: 'Rien à décider',
    noneHint: 'Les expéditeurs que les comptes déclarent apparaissent ici.',
    approve: 'Accepter',
    refuse: 'Refuser',
    disable: 'Désactiver',
    enable: 'Réactiver',
    account: 'Compte',
    mode: 'Mode',
    volume: 'Messages, 30 jours',
    since: 'Compte depuis',
    reason: 'Motif, que le compte peut lire',
    back: 'Retour',
    refuseTitle: (name: string) => `Refuser ${name}`,
    disableTitle: (name: string) => `Désactiver ${name}`,
    pages: 'Pages'
  }
)

const PAGE_SIZE = 20
const FILTERS = ['waiting', 'approved', 'refused', 'disabled', 'all'] as const
type Filter = (typeof FILTERS)[number]

/** The queue of whoever decides: the operator, or a parent. */
export function Requests({ by, timeZone }: { by: 'operator' | 'parent'; timeZone: string }) {
  const say = useWords(words)
  const states = useWords(senderWords)
  const [filter, setFilter] = useState<Filter>('waiting')
  const [page, setPage] = useState(1)
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['senders', 'requests', filter, page],
    queryFn: () =>
      call('pageSenderRequests', { query: { page, limit: PAGE_SIZE, ...(filter !== 'all' && { state: filter }) } }),
    placeholderData: keepPreviousData
  })
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  return (
    <Stack gap="sm">
      <Select
        label={say.state}
        maw={240}
        allowDeselect={false}
        value={filter}
        onChange={(value) => {
          setFilter(value as Filter)
          setPage(1)
        }}
        data={FILTERS.map((value) => ({ value, label: value === 'all' ? say.all : states[value] }))}
      />
      {data.items.length === 0 && (
        <EmptyState icon={<IconChecklist size={28} aria-hidden />} title={say.none}>
          {say.noneHint}
        </EmptyState>
      )}
      {data.items.map((request) => (
        <RequestCard key={request.id} request={request} by={by} timeZone={timeZone} />
      ))}
      {data.meta.totalPages > 1 && (
        <Pagination aria-label={say.pages} total={data.meta.totalPages} value={page} onChange={setPage} />
      )}
    </Stack>
  )
}

type Decision = { state: 'approved' } | { state: 'refused' | 'disabled'; reason: string }

function RequestCard({
  request,
  by,
  timeZone
}: {
  request: SenderRequest
  by: 'operator' | 'parent'
  timeZone: string
}) {
  const say = useWords(words)
  const states = useWords(senderWords)
  const formats = useFormats(timeZone)
  const queries = useQueryClient()
  const [isRefusing, setRefusing] = useState(false)
  const { account, state } = request
  const decide = useMutation({
    meta: { isShown: isRefusing },
    mutationFn: (decision: Decision) =>
      call(by === 'operator' ? 'decideAccountSender' : 'decideSubAccountSender', {
        path: { id: account.id, sender_id: request.id },
        body: { ...decision, from: state }
      }),
    onSuccess: () => setRefusing(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['senders'] })
  })
  const canDecide = by === 'operator' || !request.is_by_operator
  const actions = canDecide && (
    <For permission="account">
      {state !== 'approved' && (
        <Button size="xs" loading={decide.isPending} onClick={() => decide.mutate({ state: 'approved' })}>
          {state === 'disabled' ? say.enable : say.approve}
        </Button>
      )}
      {(state === 'waiting' || state === 'approved') && (
        <Button size="xs" variant="default" onClick={() => setRefusing(true)}>
          {state === 'waiting' ? say.refuse : say.disable}
        </Button>
      )}
    </For>
  )
  const facts: [string, string][] = [
    [say.account, `${account.name || account.email} (${account.id})`],
    [say.volume, formats.number(account.sent_30_days)],
    [say.since, formats.day(account.created_at)],
    [say.mode, states[account.mode]]
  ]
  return (
    <>
      <SenderCard sender={request} proofOf={{ by, accountId: account.id }} facts={facts} actions={actions} />
      {isRefusing && (
        <ReasonDialog
          title={state === 'waiting' ? say.refuseTitle(request.name) : say.disableTitle(request.name)}
          confirm={state === 'waiting' ? say.refuse : say.disable}
          error={decide.error}
          isPending={decide.isPending}
          onClose={() => setRefusing(false)}
          onReason={(reason) => decide.mutate({ state: state === 'waiting' ? 'refused' : 'disabled', reason })}
        />
      )}
    </>
  )
}

function ReasonDialog(given: {
  title: string
  confirm: string
  error: Error | null
  isPending: boolean
  onClose(): void
  onReason(reason: string): void
}) {
  const say = useWords(words)
  const [reason, setReason] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    given.onReason(reason)
  }
  return (
    <Modal opened onClose={given.onClose} title={given.title}>
      <form onSubmit={submit}>
        <Stack>
          {given.error && <Problem error={given.error} />}
          <Textarea
            label={say.reason}
            required
            autosize
            minRows={2}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={given.onClose}>
              {say.back}
            </Button>
            <Button type="submit" color="red" loading={given.isPending}>
              {given.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
