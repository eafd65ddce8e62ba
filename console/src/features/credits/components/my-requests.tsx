import { Button, Pagination, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import type { Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { Card } from '../../../ui/card.tsx'
import { AmountField, CreditTypeField, isAmount } from '../../../ui/credit-fields.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { For } from '../../account/components/for.tsx'
import { askForCredits, myRequestsQuery, withdrawRequest } from '../api/credit-requests.ts'
import { requestWords } from '../words.ts'
import { RequestCard } from './request-card.tsx'

const words = defineWords(
  {
    title: 'Ask for credits',
    fromParent: 'The parent account gives or declines them.',
    fromOperator: 'The operator gives or declines them.',
    note: 'What they are for',
    ask: 'Ask',
    asked: 'Your request is sent.',
    mine: 'My requests',
    withdraw: 'Withdraw',
    sure: 'Withdraw this request?',
    withdrawn: 'The request is withdrawn.'
  },
  {
    title: 'Demander des crédits',
    fromParent: 'Le compte parent les accorde ou les refuse.',
    fromOperator: 'L’exploitant les accorde ou les refuse.',
    note: 'Pour quel usage',
    ask: 'Demander',
    asked: 'Votre demande est envoyée.',
    mine: 'Mes demandes',
    withdraw: 'Retirer',
    sure: 'Retirer cette demande ?',
    withdrawn: 'La demande est retirée.'
  }
)

const PAGE_SIZE = 5

/** An account asks for credits, and sees what became of its requests. */
export function MyRequests({ me }: { me: Schemas['Me'] }) {
  const say = useWords(words)
  const shared = useWords(requestWords)
  const queries = useQueryClient()
  const [page, setPage] = useState(1)
  const { data } = useQuery({ ...myRequestsQuery({ page, limit: PAGE_SIZE }), placeholderData: keepPreviousData })
  const withdraw = useMutation({
    mutationFn: withdrawRequest,
    onSuccess: () => notifications.show({ color: 'green', message: say.withdrawn }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['credit-requests'] })
  })
  const ask = (id: number) =>
    askFirst({
      title: say.sure,
      labels: { confirm: say.withdraw, cancel: shared.back },
      onConfirm: () => withdraw.mutate(id)
    })
  return (
    <Card title={say.title} about={me.role === 'sub-account' ? say.fromParent : say.fromOperator}>
      <For permission="account">
        <AskForm />
      </For>
      {data !== undefined && data.items.length > 0 && (
        <Stack gap="xs" component="section" aria-label={say.mine}>
          <Text fw={600}>{say.mine}</Text>
          {data.items.map((request) => (
            <RequestCard
              key={request.id}
              request={request}
              timeZone={me.time_zone}
              actions={
                request.state === 'waiting' && (
                  <For permission="account">
                    <Button size="xs" variant="default" onClick={() => ask(request.id)}>
                      {say.withdraw}
                    </Button>
                  </For>
                )
              }
            />
          ))}
          {data.meta.totalPages > 1 && (
            <Pagination aria-label={shared.pages} total={data.meta.totalPages} value={page} onChange={setPage} />
          )}
        </Stack>
      )}
    </Card>
  )
}

function AskForm() {
  const say = useWords(words)
  const queries = useQueryClient()
  const [msgType, setType] = useState<1 | 2>(1)
  const [credits, setCredits] = useState<number | string>('')
  const [note, setNote] = useState('')
  const act = useActKey()
  const ask = useMutation({
    meta: { isShown: true },
    mutationFn: (request: Schemas['NewCreditRequest']) => askForCredits(request, act.keyOf(request)),
    onSuccess() {
      act.renew()
      setCredits('')
      setNote('')
      notifications.show({ color: 'green', message: say.asked })
      void queries.invalidateQueries({ queryKey: ['credit-requests'] })
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        ask.mutate({ credits: Number(credits), msgType, ...(note !== '' && { note }) })
      }}
    >
      <Stack gap="sm">
        <CreditTypeField value={msgType} onChange={setType} />
        <AmountField value={credits} onChange={setCredits} />
        <TextInput
          label={say.note}
          maxLength={255}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {ask.isError && <Problem error={ask.error} />}
        <Button type="submit" loading={ask.isPending} disabled={!isAmount(credits)}>
          {say.ask}
        </Button>
      </Stack>
    </form>
  )
}
