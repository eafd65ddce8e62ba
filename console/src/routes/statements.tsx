import { Anchor, Badge, Button, Pagination, Paper, Table, Text } from '@mantine/core'
import { IconArrowLeft, IconReceipt } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  monthName,
  type OfAccount,
  type StatementHead,
  statementQuery,
  statementsQuery,
  useOfAccount
} from '../features/statements/api/statements.ts'
import { ApiError } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, localeOf, useLanguage, useWords } from '../lib/language.ts'
import { useIsPhone } from '../ui/is-phone.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: 'Statements',
    titleOf: (id: number) => `Statements of account ${id}`,
    about: 'Your credits by month. A month is closed an hour after its end (UTC), and never changes then.',
    credits: 'Credits',
    month: 'Month',
    number: 'Number',
    used: (type: string) => `${type} used`,
    closing: (type: string) => `${type} closing balance`,
    provisional: 'Provisional',
    none: 'No statements yet',
    pages: 'Pages'
  },
  {
    title: 'Relevés',
    titleOf: (id: number) => `Relevés du compte ${id}`,
    about: 'Vos crédits par mois. Un mois est clos une heure après sa fin (UTC), et ne change plus ensuite.',
    credits: 'Crédits',
    month: 'Mois',
    number: 'Numéro',
    used: (type: string) => `${type} utilisés`,
    closing: (type: string) => `Solde ${type} final`,
    provisional: 'Provisoire',
    none: 'Aucun relevé',
    pages: 'Pages'
  }
)

const PAGE_SIZE = 24
const TYPES = [
  [1, 'SMS'],
  [2, 'RCS']
] as const

/** The months of an account, newest first: those that are not closed yet, and the closed ones. */
export function Statements() {
  const say = useWords(words)
  const of = useOfAccount()
  const [page, setPage] = useState(1)
  const isPhone = useIsPhone()
  const { data, isError, error, refetch } = useQuery({
    ...statementsQuery(of, { page, limit: PAGE_SIZE }),
    placeholderData: keepPreviousData
  })
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  const isEmpty = data.items.length === 0 && data.provisional.length === 0
  return (
    <Page
      title={of.account === undefined ? say.title : say.titleOf(of.account)}
      about={say.about}
      actions={
        of.account === undefined && (
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            component={Link}
            to="/credits"
          >
            {say.credits}
          </Button>
        )
      }
    >
      {isEmpty && <EmptyState icon={<IconReceipt size={28} aria-hidden />} title={say.none} />}
      {!isEmpty && (
        <Paper withBorder>
          <Table.ScrollContainer minWidth={560}>
            <Table aria-label={say.title}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{say.month}</Table.Th>
                  {!isPhone && <Table.Th>{say.number}</Table.Th>}
                  {TYPES.flatMap(([type, name]) => [
                    <Table.Th key={`used ${type}`} ta="right">
                      {say.used(name)}
                    </Table.Th>,
                    <Table.Th key={`closing ${type}`} ta="right">
                      {say.closing(name)}
                    </Table.Th>
                  ])}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {page === 1 && data.provisional.map((month) => <ProvisionalRow key={month} of={of} month={month} />)}
                {data.items.map(({ month, number, balances }) => (
                  <Table.Tr key={month}>
                    <Table.Td>
                      <MonthLink of={of} month={month} />
                    </Table.Td>
                    {!isPhone && <Table.Td className="digits">{number}</Table.Td>}
                    <BalanceCells balances={balances} />
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {data.meta.totalPages > 1 && (
        <Pagination aria-label={say.pages} total={data.meta.totalPages} value={page} onChange={setPage} />
      )}
    </Page>
  )
}

/** A month that is not closed yet, with its figures up to now. */
function ProvisionalRow({ of, month }: { of: OfAccount; month: string }) {
  const say = useWords(words)
  const isPhone = useIsPhone()
  const { data } = useQuery(statementQuery(of, month))
  const badge = (
    <Badge variant="light" color="orange" tt="none">
      {say.provisional}
    </Badge>
  )
  return (
    <Table.Tr>
      <Table.Td>
        <MonthLink of={of} month={month} />
        {isPhone && badge}
      </Table.Td>
      {!isPhone && <Table.Td>{badge}</Table.Td>}
      <BalanceCells balances={data?.balances} />
    </Table.Tr>
  )
}

/** What was used, and what was left at the end, of each type. */
function BalanceCells({ balances }: { balances: StatementHead['balances'] | undefined }) {
  const formats = useFormats()
  return TYPES.flatMap(([type]) => {
    const balance = balances?.find(({ msgType }) => msgType === type)
    return (['used', 'closing'] as const).map((name) => (
      <Table.Td key={`${name} ${type}`} ta="right" className="digits">
        {balances && formats.number(balance?.[name] ?? 0)}
      </Table.Td>
    ))
  })
}

function MonthLink({ of, month }: { of: OfAccount; month: string }) {
  const language = useLanguage()
  return (
    <Anchor component={Link} to={`/statements/${month}`} search={of as never}>
      <Text span>{monthName(month, localeOf(language))}</Text>
    </Anchor>
  )
}
