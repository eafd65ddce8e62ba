import { Button, Group, Modal, Pagination, Select, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { creditsQuery } from '../../account/api/credits.ts'
import { For } from '../../account/components/for.tsx'
import { answerRequest, type ReceivedRequest, receivedRequestsQuery } from '../api/credit-requests.ts'
import { requestWords } from '../words.ts'
import { RequestCard } from './request-card.tsx'

const words = defineWords(
  {
    title: 'Requests to answer',
    about: 'Requests for credits from your accounts.',
    state: 'State',
    all: 'All',
    none: 'No requests',
    give: 'Give',
    decline: 'Decline',
    giveTitle: (amount: string, name: string) => `Give ${amount} to ${name}?`,
    declineTitle: (amount: string, name: string) => `Decline ${amount} for ${name}?`,
    after: (amount: string) => `Your balance afterwards: ${amount}.`,
    tooFew: (amount: string) => `Your balance is ${amount}: too few.`,
    outside: 'No other account is debited.',
    note: 'Note, which the account reads',
    given: 'The credits are given.',
    declined: 'The request is declined.'
  },
  {
    title: 'Demandes à traiter',
    about: 'Demandes de crédits de vos comptes.',
    state: 'Statut',
    all: 'Toutes',
    none: 'Aucune demande',
    give: 'Accorder',
    decline: 'Refuser',
    giveTitle: (amount: string, name: string) => `Accorder ${amount} à ${name} ?`,
    declineTitle: (amount: string, name: string) => `Refuser ${amount} à ${name} ?`,
    after: (amount: string) => `Votre solde après : ${amount}.`,
    tooFew: (amount: string) => `Votre solde est de ${amount} : c’est trop peu.`,
    outside: 'Aucun autre compte n’est débité.',
    note: 'Note, que le compte peut lire',
    given: 'Les crédits sont accordés.',
    declined: 'La demande est refusée.'
  }
)

const PAGE_SIZE = 5
const FILTERS = ['waiting', 'given', 'declined', 'withdrawn', 'all'] as const
type Filter = (typeof FILTERS)[number]

/** The requests that this account answers. */
export function ReceivedRequests({ timeZone }: { timeZone: string }) {
  const say = useWords(words)
  const shared = useWords(requestWords)
  const [filter, setFilter] = useState<Filter>('waiting')
  const [page, setPage] = useState(1)
  const wanted = { page, limit: PAGE_SIZE, ...(filter !== 'all' && { state: filter }) }
  const { data, isError, error, refetch } = useQuery({
    ...receivedRequestsQuery(wanted),
    placeholderData: keepPreviousData
  })
  return (
    <Card title={say.title} about={say.about}>
      <Select
        label={say.state}
        maw={240}
        allowDeselect={false}
        value={filter}
        onChange={(value) => {
          setFilter(value as Filter)
          setPage(1)
        }}
        data={FILTERS.map((value) => ({ value, label: value === 'all' ? say.all : shared.states[value] }))}
      />
      {isError && !data && <ErrorState error={error} reset={() => void refetch()} />}
      {!isError && !data && <RowsLoading rows={2} />}
      {data?.items.length === 0 && <Text c="dimmed">{say.none}</Text>}
      {data?.items.map((request) => (
        <Received key={request.id} request={request} timeZone={timeZone} />
      ))}
      {data !== undefined && data.meta.totalPages > 1 && (
        <Pagination aria-label={shared.pages} total={data.meta.totalPages} value={page} onChange={setPage} />
      )}
    </Card>
  )
}

function Received({ request, timeZone }: { request: ReceivedRequest; timeZone: string }) {
  const say = useWords(words)
  const [answer, setAnswer] = useState<'given' | 'declined'>()
  return (
    <>
      <RequestCard
        request={request}
        title={request.account.name}
        timeZone={timeZone}
        actions={
          request.state === 'waiting' && (
            <For permission="account">
              <Button size="xs" onClick={() => setAnswer('given')}>
                {say.give}
              </Button>
              <Button size="xs" variant="default" onClick={() => setAnswer('declined')}>
                {say.decline}
              </Button>
            </For>
          )
        }
      />
      {answer && <AnswerDialog request={request} state={answer} onClose={() => setAnswer(undefined)} />}
    </>
  )
}

/** Names the credits and what is left of one’s own afterwards. */
function AnswerDialog({
  request,
  state,
  onClose
}: {
  request: ReceivedRequest
  state: 'given' | 'declined'
  onClose(): void
}) {
  const say = useWords(words)
  const shared = useWords(requestWords)
  const queries = useQueryClient()
  const act = useActKey()
  const [note, setNote] = useState('')
  const { data: own } = useQuery(creditsQuery)
  const { account, msgType, credits } = request
  const type = msgType === 1 ? 'SMS' : 'RCS'
  const isFromOutside = account.parent_id === null
  const balance = own?.find((each) => each.msgType === msgType)?.credits
  const isShort = state === 'given' && !isFromOutside && balance !== undefined && balance < credits
  const answer = useMutation({
    meta: { isShown: true },
    mutationFn: () => {
      const body = { state, ...(note !== '' && { note }) }
      return answerRequest(request.id, body, act.keyOf({ id: request.id, ...body }))
    },
    onSuccess() {
      notifications.show({ color: 'green', message: say[state] })
      onClose()
    },
    onSettled() {
      for (const queryKey of [['credit-requests'], ['credits'], ['sub-accounts']]) {
        void queries.invalidateQueries({ queryKey })
      }
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    answer.mutate()
  }
  const amount = shared.amount(credits, type)
  const title = state === 'given' ? say.giveTitle(amount, account.name) : say.declineTitle(amount, account.name)
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {answer.error && <Problem error={answer.error} />}
          {state === 'given' && isFromOutside && <Text>{say.outside}</Text>}
          {state === 'given' && !isFromOutside && balance !== undefined && (
            <Text c={isShort ? 'var(--mantine-color-error)' : undefined}>
              {isShort ? say.tooFew(shared.amount(balance, type)) : say.after(shared.amount(balance - credits, type))}
            </Text>
          )}
          <TextInput
            label={say.note}
            maxLength={255}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.back}
            </Button>
            <Button
              type="submit"
              {...(state === 'declined' && { color: 'red' })}
              loading={answer.isPending}
              disabled={isShort}
            >
              {state === 'given' ? say.give : say.decline}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
