import { Badge, Button } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import { AccountName, useFigureColumns } from '../features/accounts/components/account-columns.tsx'
import { AccountFilters, NO_FILTER, toAccountQuery } from '../features/accounts/components/account-filters.tsx'
import type { SubAccount } from '../features/sub-accounts/api/sub-accounts.ts'
import { CreateDialog } from '../features/sub-accounts/components/create-dialog.tsx'
import { call, download } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { useSearch } from '../ui/search-field.tsx'
import { EmptyState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: 'Sub-accounts',
    about: 'Your customers, each with its own data, log-in and credits.',
    create: 'New sub-account',
    company: 'Company',
    spends: 'Credits used',
    self: 'Its own credits',
    parent: 'Yours',
    none: 'No sub-account yet',
    noneHint: 'Create one for each customer to whom you resell credits.'
  },
  {
    title: 'Sous-comptes',
    about: 'Vos clients, chacun avec ses données, sa connexion et ses crédits.',
    create: 'Nouveau sous-compte',
    company: 'Société',
    spends: 'Crédits utilisés',
    self: 'Ses crédits',
    parent: 'Les vôtres',
    none: 'Aucun sous-compte pour l’instant',
    noneHint: 'Créez-en un pour chaque client à qui vous revendez des crédits.'
  }
)

export function SubAccounts() {
  const say = useWords(words)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const [isCreating, setCreating] = useState(false)
  const { text, setText, search } = useSearch()
  const [filters, setFilters] = useState(NO_FILTER)
  const figures = useFigureColumns<SubAccount>(formats)
  const create = (
    <>
      <ExportButton
        fetchFile={() => download('extractSubAccounts', {}, toAccountQuery(search, filters))}
        name="sub-accounts.csv"
      />
      <For permission="account">
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {say.create}
        </Button>
      </For>
    </>
  )
  const columns: Column<SubAccount>[] = [
    {
      key: 'company',
      title: say.company,
      width: 'minmax(110px, 1fr)',
      cell: (account, isNarrow) => <AccountName account={account} isNarrow={isNarrow} />
    },
    {
      key: 'spends',
      title: say.spends,
      width: '140px',
      isWide: true,
      cell: ({ credits_mode: mode }) => (
        <Badge variant="default" tt="none">
          {say[mode]}
        </Badge>
      )
    },
    ...figures
  ]
  if (!me) return <PageLoading />
  if (me.role === 'sub-account') return <NotFound />
  return (
    <Page title={say.title} about={say.about} actions={create}>
      <AccountFilters text={text} setText={setText} values={filters} onChange={setFilters} />
      <DataTable<SubAccount>
        label={say.title}
        columns={columns}
        queryKey={['sub-accounts', 'list', search, filters]}
        fetchPage={(page, signal) =>
          call('pageSubAccounts', { query: { ...page, ...toAccountQuery(search, filters) }, signal })
        }
        rowKey={({ subaccount_id: id }) => id}
        linkOf={({ subaccount_id: id }) => `/sub-accounts/${id}`}
        empty={
          <EmptyState icon={<IconUsersGroup size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}
