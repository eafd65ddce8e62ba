import { Button, Group, Select } from '@mantine/core'
import { IconArrowLeft, IconReportMoney } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { downloadMargins, type Margin, marginsQuery, type Period } from '../features/margins/api/margins.ts'
import { CarrierCosts } from '../features/margins/components/carrier-costs.tsx'
import { MarginTable, MarginTotals } from '../features/margins/components/margin-sums.tsx'
import { sumMargins } from '../features/margins/sum-margins.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { DaysInput } from '../ui/days-input.tsx'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: 'Margins',
    ofOperator:
      'Revenue: credits used by each account and its sub-accounts, at the price of a credit. Cost: what carriers charge, added six hours after a message was due.',
    ofParent:
      'Revenue: credits used by each sub-account that has its own, at the price of a credit. Cost: the same credits at the price of yours, which the operator sets.',
    prices: 'Prices',
    days: 'Days (UTC)',
    recent: 'Last 30 days',
    channel: 'Channel',
    both: 'SMS and RCS',
    byAccount: 'By account',
    account: 'Account',
    byDestination: 'By destination',
    destination: 'Destination',
    unknown: 'Unknown country',
    none: 'No credits used in this period',
    noneHint: 'Choose other days. The price of a credit is set on the page of each account.'
  },
  {
    title: 'Marges',
    ofOperator:
      'Revenu : les crédits utilisés par chaque compte et ses sous-comptes, au prix d’un crédit. Coût : celui des opérateurs, ajouté six heures après la date d’envoi.',
    ofParent:
      'Revenu : les crédits utilisés par chaque sous-compte qui a les siens, au prix d’un crédit. Coût : les mêmes crédits au prix des vôtres, que l’exploitant fixe.',
    prices: 'Tarifs',
    days: 'Jours (UTC)',
    recent: '30 derniers jours',
    channel: 'Canal',
    both: 'SMS et RCS',
    byAccount: 'Par compte',
    account: 'Compte',
    byDestination: 'Par destination',
    destination: 'Destination',
    unknown: 'Pays inconnu',
    none: 'Aucun crédit utilisé sur cette période',
    noneHint: 'Choisissez d’autres jours. Le prix d’un crédit se règle sur la page de chaque compte.'
  }
)

/** What messages earned, for the operator and for parents. */
export function Margins() {
  const say = useWords(words)
  const me = useMe()
  const [period, setPeriod] = useState<Period>({})
  const [type, setType] = useState<string | null>(null)
  if (!me) return <PageLoading />
  if (me.role === 'sub-account' || !me.permissions.includes('account')) return <NotFound />
  const isOperator = me.role === 'operator'
  return (
    <Page
      title={say.title}
      about={isOperator ? say.ofOperator : say.ofParent}
      actions={
        <>
          <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} component={Link} to="/prices">
            {say.prices}
          </Button>
          <ExportButton fetchFile={() => downloadMargins(period)} name="margins.csv" />
        </>
      }
    >
      <Group align="flex-end" gap="sm">
        <DaysInput
          label={say.days}
          placeholder={say.recent}
          onChange={(from, to) => setPeriod({ from: from ?? undefined, to: to ?? undefined })}
        />
        <Select
          label={say.channel}
          placeholder={say.both}
          clearable
          w={160}
          value={type}
          onChange={setType}
          data={[
            { value: '1', label: 'SMS' },
            { value: '2', label: 'RCS' }
          ]}
        />
      </Group>
      <Figures period={period} type={type} />
      {isOperator && <CarrierCosts />}
    </Page>
  )
}

function Figures({ period, type }: { period: Period; type: string | null }) {
  const say = useWords(words)
  const formats = useFormats()
  const { data, isError, error, refetch } = useQuery({ ...marginsQuery(period), placeholderData: keepPreviousData })
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const rows = data.filter(({ msgType }) => type === null || String(msgType) === type)
  if (rows.length === 0) {
    return (
      <EmptyState icon={<IconReportMoney size={28} aria-hidden />} title={say.none}>
        {say.noneHint}
      </EmptyState>
    )
  }
  const names = new Map(rows.map((row) => [String(row.account_id), row.account_name]))
  const ofAccount = (row: Margin) => String(row.account_id)
  const ofCountry = (row: Margin) => row.country ?? ''
  return (
    <>
      <MarginTotals sums={sumMargins(rows, () => '')} />
      <MarginTable
        title={say.byAccount}
        head={say.account}
        sums={sumMargins(rows, ofAccount)}
        nameOf={(id) => names.get(id) || id}
      />
      <MarginTable
        title={say.byDestination}
        head={say.destination}
        sums={sumMargins(rows, ofCountry)}
        nameOf={(country) => (country === '' ? say.unknown : formats.country(country))}
      />
    </>
  )
}
