import { Alert, Anchor, Button, Group, Modal, NumberInput, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useActKey } from '../../../lib/act-key.ts'
import { ApiError, call, download } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { CreditTypeField } from '../../../ui/credit-fields.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { ExportButton } from '../../../ui/export-button.tsx'
import { NewKeys, ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { useSearch } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { For } from '../../account/components/for.tsx'
import { AccountName, useFigureColumns } from '../../accounts/components/account-columns.tsx'
import { AccountFilters, NO_FILTER, toAccountQuery } from '../../accounts/components/account-filters.tsx'
import { type Account, adjustCredits, createAccount } from '../api/operator.ts'

const words = defineWords(
  {
    title: 'Accounts',
    create: 'New account',
    id: 'Id',
    company: 'Company',
    email: 'Email',
    password: 'Password',
    above: 'Parent account',
    account: (id: number) => `Account ${id}`,
    none: 'No account',
    credits: (name: string) => `Credits of ${name}`,
    amount: 'Credits (negative to remove)',
    adjust: 'Change',
    adjusted: 'The credits are changed.',
    hint: 'No other account is debited.',
    note: 'Note, which the account sees',
    back: 'Back',
    keys: 'The key is shown only now. Hand it over with the password.',
    done: 'Done'
  },
  {
    title: 'Comptes',
    create: 'Nouveau compte',
    id: 'N°',
    company: 'Société',
    email: 'E-mail',
    password: 'Mot de passe',
    above: 'Compte parent',
    account: (id: number) => `Compte ${id}`,
    none: 'Aucun compte',
    credits: (name: string) => `Crédits de ${name}`,
    amount: 'Nombre de crédits (négatif pour retirer)',
    adjust: 'Modifier',
    adjusted: 'Les crédits sont modifiés.',
    hint: 'Aucun autre compte n’est débité.',
    note: 'Note, visible par le compte',
    back: 'Retour',
    keys: 'La clé n’est affichée que maintenant. Transmettez-la avec le mot de passe.',
    done: 'Terminé'
  }
)

export function Accounts({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const { text, setText, search } = useSearch()
  const [filters, setFilters] = useState(NO_FILTER)
  const figures = useFigureColumns<Account>(formats)
  const [isCreating, setCreating] = useState(false)
  const columns: Column<Account>[] = [
    { key: 'id', title: say.id, width: '40px', isWide: true, cell: ({ id }) => id },
    {
      key: 'company',
      title: say.company,
      width: 'minmax(110px, 1fr)',
      cell: (account, isNarrow) => <AccountName account={account} isNarrow={isNarrow} />
    },
    {
      key: 'above',
      title: say.above,
      width: '124px',
      isWide: true,
      cell: ({ parent_id: id }) =>
        id !== null && (
          <Anchor component={Link} to={`/operator/accounts/${id}`} size="sm">
            {say.account(id)}
          </Anchor>
        )
    },
    ...figures
  ]
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <AccountFilters text={text} setText={setText} values={filters} onChange={setFilters} />
        <Group gap="sm">
          <ExportButton
            fetchFile={() => download('extractAccounts', {}, toAccountQuery(search, filters))}
            name="accounts.csv"
          />
          <For permission="account">
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
              {say.create}
            </Button>
          </For>
        </Group>
      </Group>
      <DataTable<Account>
        label={say.title}
        columns={columns}
        queryKey={['accounts', 'list', search, filters]}
        fetchPage={(page, signal) =>
          call('listAccounts', { query: { ...page, ...toAccountQuery(search, filters) }, signal })
        }
        rowKey={({ id }) => id}
        linkOf={({ id }) => `/operator/accounts/${id}`}
        linkColumn="company"
        empty={<EmptyState icon={<IconUsers size={28} aria-hidden />} title={say.none} />}
      />
      {isCreating && <CreateAccountDialog onClose={() => setCreating(false)} />}
    </Stack>
  )
}

export function CreditsDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [credits, setCredits] = useState<number | string>('')
  const [msgType, setType] = useState<1 | 2>(1)
  const [note, setNote] = useState('')
  const act = useActKey()
  const adjust = useMutation({
    meta: { isShown: true },
    mutationFn: (change: Parameters<typeof adjustCredits>[0]) => adjustCredits(change, act.keyOf(change)),
    onSuccess() {
      notifications.show({ color: 'green', message: say.adjusted })
      for (const queryKey of [['credits'], ['accounts']]) void queries.invalidateQueries({ queryKey })
      onClose()
    }
  })
  return (
    <Modal opened onClose={onClose} title={say.credits(account.social_reason || account.email)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          adjust.mutate({ id: account.id, msgType, credits: Number(credits), ...(note !== '' && { note }) })
        }}
      >
        <Stack>
          <Text size="sm">{say.hint}</Text>
          <CreditTypeField value={msgType} onChange={setType} />
          <NumberInput
            label={say.amount}
            allowDecimal={false}
            required
            data-autofocus
            value={credits}
            onChange={setCredits}
          />
          <TextInput
            label={say.note}
            maxLength={255}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          {adjust.isError && (
            <Alert color="red" role="alert">
              {adjust.error.message}
            </Alert>
          )}
          <Button type="submit" loading={adjust.isPending} disabled={Number(credits) === 0}>
            {say.adjust}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

function CreateAccountDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const form = useForm({ initialValues: { social_reason: '', email: '', password: '' } })
  const create = useMutation({
    meta: { isShown: true },
    mutationFn: createAccount,
    onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['accounts'] })
  })
  return (
    <Modal opened onClose={onClose} title={say.create} {...(create.data && ONLY_WHEN_KEPT)}>
      {create.data ? (
        <NewKeys hint={say.keys} keys={create.data} done={say.done} onDone={onClose} />
      ) : (
        <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <Stack>
            {create.isError && (
              <Alert color="red" role="alert">
                {create.error.message}
              </Alert>
            )}
            <TextInput label={say.company} data-autofocus autoComplete="off" {...form.getInputProps('social_reason')} />
            <TextInput label={say.email} type="email" required autoComplete="off" {...form.getInputProps('email')} />
            <PasswordInput
              label={say.password}
              required
              minLength={8}
              autoComplete="new-password"
              {...form.getInputProps('password')}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {say.back}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {say.create}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
