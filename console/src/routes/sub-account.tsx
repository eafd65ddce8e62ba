import {
  Alert,
  Anchor,
  Button,
  Grid,
  Paper,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconReceipt } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { creditsQuery } from '../features/account/api/credits.ts'
import { useMay } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import { AccountLife } from '../features/accounts/components/account-life.tsx'
import { AccountPeople } from '../features/accounts/components/account-people.tsx'
import { PassedAgents } from '../features/agents/components/passed-agents.tsx'
import { LimitsForm } from '../features/limits/components/limits-form.tsx'
import { CreditPriceForm } from '../features/margins/components/credit-price-form.tsx'
import { PriceListForm } from '../features/prices/components/price-list-form.tsx'
import { SenderModeForm } from '../features/senders/components/mode-form.tsx'
import {
  changeMode,
  type Movement,
  moveCredits,
  type SubAccount,
  subAccountCreditsQuery,
  subAccountQuery
} from '../features/sub-accounts/api/sub-accounts.ts'
import { useActKey } from '../lib/act-key.ts'
import { ApiError, call } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { formatPhone } from '../lib/format-phone.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { CreditEntries } from '../ui/credit-entries.tsx'
import { AmountField, CreditBalances, CreditTypeField, isAmount } from '../ui/credit-fields.tsx'
import { Facts } from '../ui/facts.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    all: 'All sub-accounts',
    credits: 'Credits',
    add: 'Add',
    remove: 'Withdraw',
    note: 'Note, which both accounts see',
    move: 'Add or withdraw',
    from: 'The credits are debited from your account.',
    moved: 'The credits are moved.',
    mode: 'Credits used',
    self: 'Its own',
    selfHint: 'It can send while it has credits.',
    parent: 'Yours',
    parentHint: 'Its messages use your credits.',
    toParent: 'Use your credits?',
    toSelf: 'Use its own credits?',
    balance: (label: string, count: string) => `${label} balance: ${count}.`,
    change: 'Change',
    cancel: 'Cancel',
    details: 'Details',
    email: 'Email',
    name: 'Name',
    phone: 'Phone',
    since: 'Since',
    sent: 'Messages, 30 days',
    activity: 'Last activity',
    never: 'Never',
    history: 'History of its credits',
    statements: 'Statements'
  },
  {
    all: 'Tous les sous-comptes',
    credits: 'Crédits',
    add: 'Ajouter',
    remove: 'Retirer',
    note: 'Note, visible par les deux comptes',
    move: 'Ajouter ou retirer',
    from: 'Les crédits sont débités de votre compte.',
    moved: 'Les crédits sont transférés.',
    mode: 'Crédits utilisés',
    self: 'Les siens',
    selfHint: 'Il peut envoyer tant qu’il a des crédits.',
    parent: 'Les vôtres',
    parentHint: 'Ses messages utilisent vos crédits.',
    toParent: 'Utiliser vos crédits ?',
    toSelf: 'Utiliser ses propres crédits ?',
    balance: (label: string, count: string) => `Solde ${label} : ${count}.`,
    change: 'Changer',
    cancel: 'Annuler',
    details: 'Détails',
    email: 'E-mail',
    name: 'Nom',
    phone: 'Téléphone',
    since: 'Depuis',
    sent: 'Messages, 30 jours',
    activity: 'Dernière activité',
    never: 'Jamais',
    history: 'Historique de ses crédits',
    statements: 'Relevés'
  }
)

export function SubAccountPage() {
  const id = Number((useParams({ strict: false }) as { id: string }).id)
  const me = useMe()
  const { data, isError, error, refetch } = useQuery(subAccountQuery(id))
  if (me?.role === 'sub-account' || !Number.isInteger(id)) return <NotFound />
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return data ? <Details subAccount={data} /> : <PageLoading />
}

function Details({ subAccount }: { subAccount: SubAccount }) {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const { subaccount_id: id } = subAccount
  const name = `${subAccount.first_name} ${subAccount.last_name}`.trim()
  const rows: [string, string][] = [
    [say.email, subAccount.email],
    [say.name, name],
    [say.phone, formatPhone(subAccount.phone_number)],
    [say.since, formats.day(subAccount.created_at)],
    [say.sent, formats.number(subAccount.sent_30_days)],
    [say.activity, subAccount.last_activity_at ? formats.moment(subAccount.last_activity_at) : say.never]
  ]
  return (
    <Page
      title={subAccount.social_reason || name || subAccount.email}
      about={
        <Anchor component={Link} to="/sub-accounts">
          {say.all}
        </Anchor>
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconReceipt size={16} aria-hidden />}
          component={Link}
          to="/statements"
          search={{ account: id } as never}
        >
          {say.statements}
        </Button>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <CreditsCard id={id} isClosed={subAccount.standing === 'closed'} />
            <LimitsForm owner={{ kind: 'sub-account', id }} isSubAccount />
            <SenderModeForm by="parent" id={id} />
            <PriceListForm by="parent" id={id} isClosed={subAccount.standing === 'closed'} />
            {me?.role !== 'operator' && (
              <>
                {/* The operator's margins are those of top-level accounts. */}
                <CreditPriceForm by="parent" id={id} isClosed={subAccount.standing === 'closed'} />
                <PassedAgents id={id} isClosed={subAccount.standing === 'closed'} />
              </>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <ModeCard subAccount={subAccount} />
            <AccountLife by="parent" id={id} account={subAccount} />
            <AccountPeople by="parent" id={id} isClosed={subAccount.standing === 'closed'} />
            <Paper withBorder p="md" component="section" aria-label={say.details}>
              <Title order={2} size="h4" mb="xs">
                {say.details}
              </Title>
              <Facts rows={rows} nameWidth={150} />
            </Paper>
          </Stack>
        </Grid.Col>
      </Grid>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say.history}
        </Title>
        <CreditEntries
          queryKey={['sub-accounts', id, 'entries']}
          fetchPage={(page) => call('listSubAccountCreditEntries', { path: { id }, query: page })}
          timeZone={me?.time_zone}
        />
      </Stack>
    </Page>
  )
}

/** A closed account takes no credits, and what it had returns by itself. */
function CreditsCard({ id, isClosed }: { id: number; isClosed: boolean }) {
  const say = useWords(words)
  const { data } = useQuery(subAccountCreditsQuery(id))
  return (
    <Paper withBorder p="md" component="section" aria-label={say.credits}>
      <Stack>
        <Title order={2} size="h4">
          {say.credits}
        </Title>
        <CreditBalances credits={data} />
        {!isClosed && (
          <For permission="account">
            <MoveForm id={id} />
          </For>
        )}
      </Stack>
    </Paper>
  )
}

function MoveForm({ id }: { id: number }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [direction, setDirection] = useState<'add' | 'remove'>('add')
  const [msgType, setType] = useState<1 | 2>(1)
  const [credits, setCredits] = useState<number | string>('')
  const [note, setNote] = useState('')
  const act = useActKey()
  const move = useMutation({
    meta: { isShown: true },
    mutationFn: (movement: Movement) => moveCredits(movement, act.keyOf(movement)),
    onSuccess() {
      act.renew()
      setCredits('')
      setNote('')
      notifications.show({ color: 'green', message: say.moved })
      for (const queryKey of [['sub-accounts', id], ['credits']]) void queries.invalidateQueries({ queryKey })
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        move.mutate({ id, direction, msgType, credits: Number(credits), ...(note !== '' && { note }) })
      }}
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label={say.move}
          value={direction}
          onChange={(value) => setDirection(value as 'add' | 'remove')}
          data={[
            { value: 'add', label: say.add },
            { value: 'remove', label: say.remove }
          ]}
        />
        <CreditTypeField value={msgType} onChange={setType} />
        <AmountField value={credits} description={direction === 'add' ? say.from : undefined} onChange={setCredits} />
        <TextInput
          label={say.note}
          maxLength={255}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {move.isError && (
          <Alert color="red" role="alert">
            {move.error.message}
          </Alert>
        )}
        <Button type="submit" loading={move.isPending} disabled={!isAmount(credits)}>
          {say[direction]}
        </Button>
      </Stack>
    </form>
  )
}

function ModeCard({ subAccount }: { subAccount: SubAccount }) {
  const say = useWords(words)
  const formats = useFormats()
  const mayChange = useMay('account')
  const queries = useQueryClient()
  const { data: yours } = useQuery(creditsQuery)
  const { data: its } = useQuery(subAccountCreditsQuery(subAccount.subaccount_id))
  const change = useMutation({
    mutationFn: (mode: string) =>
      changeMode({ id: subAccount.subaccount_id, mode: mode as SubAccount['credits_mode'] }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sub-accounts'] })
  })
  const ask = (mode: string) => {
    const spent = mode === 'parent' ? yours : its
    askFirst({
      title: mode === 'parent' ? say.toParent : say.toSelf,
      children: (
        <Stack gap="xs">
          <Text>{mode === 'parent' ? say.parentHint : say.selfHint}</Text>
          <Text>
            {(spent ?? []).map(({ label, credits }) => say.balance(label, formats.number(credits))).join(' ')}
          </Text>
        </Stack>
      ),
      labels: { confirm: say.change, cancel: say.cancel },
      onConfirm: () => change.mutate(mode)
    })
  }
  return (
    <Paper withBorder p="md">
      <fieldset className="plain-fieldset" disabled={!mayChange || subAccount.standing === 'closed'}>
        <Radio.Group
          label={
            <Title order={2} size="h4">
              {say.mode}
            </Title>
          }
          value={change.isPending ? change.variables : subAccount.credits_mode}
          onChange={ask}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="self" label={say.self} description={say.selfHint} />
            <Radio value="parent" label={say.parent} description={say.parentHint} />
          </Stack>
        </Radio.Group>
      </fieldset>
    </Paper>
  )
}
