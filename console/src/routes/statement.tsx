import { Alert, Button, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { IconArrowLeft, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import {
  fetchCsv,
  fetchPdf,
  fetchUses,
  monthName,
  type Statement,
  statementQuery,
  useOfAccount
} from '../features/statements/api/statements.ts'
import { ApiError } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, localeOf, useLanguage, useWords } from '../lib/language.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { useIsPhone } from '../ui/is-phone.ts'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: (month: string) => `Statement, ${month}`,
    number: (number: string, account: string) => `Number ${number} · ${account}`,
    account: (id: number) => `Account ${id}`,
    provisional: 'This month is not closed: the amounts may change.',
    all: 'All statements',
    pdf: 'Download PDF',
    csv: 'Export as CSV',
    uses: 'Export details as CSV',
    balances: 'Balances',
    opening: 'Opening',
    added: 'Added',
    removed: 'Removed',
    used: 'Used',
    refunded: 'Refunded',
    closing: 'Closing',
    type: 'Type',
    countries: 'By country',
    country: 'Country',
    senders: 'By sender',
    sender: 'Sender',
    subAccounts: 'By sub-account',
    subAccount: 'Sub-account',
    received: 'Received from the sub-account',
    given: 'Given to the sub-account',
    unknown: 'Unknown',
    none: 'No credits used'
  },
  {
    title: (month: string) => `Relevé ${/^[aâo]/i.test(month) ? 'd’' : 'de '}${month.toLowerCase()}`,
    number: (number: string, account: string) => `Numéro ${number} · ${account}`,
    account: (id: number) => `Compte ${id}`,
    provisional: 'Ce mois n’est pas clos : les montants peuvent changer.',
    all: 'Tous les relevés',
    pdf: 'Télécharger le PDF',
    csv: 'Exporter en CSV',
    uses: 'Exporter le détail en CSV',
    balances: 'Soldes',
    opening: 'Ouverture',
    added: 'Ajoutés',
    removed: 'Retirés',
    used: 'Utilisés',
    refunded: 'Remboursés',
    closing: 'Clôture',
    type: 'Type',
    countries: 'Par pays',
    country: 'Pays',
    senders: 'Par expéditeur',
    sender: 'Expéditeur',
    subAccounts: 'Par sous-compte',
    subAccount: 'Sous-compte',
    received: 'Reçus du sous-compte',
    given: 'Donnés au sous-compte',
    unknown: 'Inconnu',
    none: 'Aucun crédit utilisé'
  }
)

export function StatementPage() {
  const { month } = useParams({ strict: false }) as { month: string }
  const of = useOfAccount()
  const { data, isError, error, refetch } = useQuery(statementQuery(of, month))
  if (isError && error instanceof ApiError && (error.status === 404 || error.status === 400)) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return data ? <Details statement={data} /> : <PageLoading />
}

function Details({ statement }: { statement: Statement }) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats()
  const of = useOfAccount()
  const order = useIsPhone() ? PHONE_ORDER : ORDER
  const { month, number, account, balances, countries, senders, sub_accounts: below } = statement
  const name = account.name || say.account(account.id)
  return (
    <Page
      title={say.title(monthName(month, localeOf(language)))}
      about={number === null ? name : say.number(formats.number(number), name)}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            component={Link}
            to="/statements"
            search={of as never}
          >
            {say.all}
          </Button>
          <ExportButton
            label={say.pdf}
            name={`statement-${account.id}-${month}.pdf`}
            fetchFile={() => fetchPdf(of, month, language)}
          />
          <ExportButton
            label={say.csv}
            name={`statement-${account.id}-${month}.csv`}
            fetchFile={() => fetchCsv(of, month)}
          />
          <ExportButton
            label={say.uses}
            name={`credits-${account.id}-${month}.csv`}
            fetchFile={() => fetchUses(of, { from: statement.from, to: statement.to })}
          />
        </>
      }
    >
      {statement.is_provisional && (
        <Alert color="orange" icon={<IconInfoCircle size={18} aria-hidden />} role="status">
          {say.provisional}
        </Alert>
      )}
      <Amounts
        title={say.balances}
        columns={[say.type, ...order.map((name) => say[name])]}
        rows={balances.map((balance) => {
          return { name: typeName(balance.msgType), amounts: order.map((name) => balance[name]) }
        })}
      />
      <Amounts
        title={say.countries}
        columns={[say.country, say.used, say.refunded]}
        rows={countries.map(({ msgType, country, used, refunded }) => {
          const shown = country === null ? say.unknown : formats.country(country)
          return { name: `${typeName(msgType)} · ${shown}`, amounts: [used, refunded] }
        })}
      />
      <Amounts
        title={say.senders}
        columns={[say.sender, say.used, say.refunded]}
        rows={senders.map(({ msgType, sender, used, refunded }) => {
          return { name: `${typeName(msgType)} · ${sender ?? say.unknown}`, amounts: [used, refunded] }
        })}
      />
      {below.length > 0 && (
        <Amounts
          title={say.subAccounts}
          columns={[say.subAccount, say.received, say.given, say.used, say.refunded]}
          rows={below.map(({ msgType, subaccount_id: id, name: company, added, removed, used, refunded }) => {
            return {
              name: `${typeName(msgType)} · ${company || say.account(id)}`,
              amounts: [added, removed, used, refunded]
            }
          })}
        />
      )}
    </Page>
  )
}

/** As they add up. */
const ORDER = ['opening', 'added', 'removed', 'used', 'refunded', 'closing'] as const
/** A phone shows two or three of them at once. */
const PHONE_ORDER = ['closing', 'used', 'opening', 'added', 'removed', 'refunded'] as const

function typeName(msgType: 1 | 2): string {
  return msgType === 1 ? 'SMS' : 'RCS'
}

/** A table: names at the left, amounts at the right. */
function Amounts({
  title,
  columns,
  rows
}: {
  title: string
  columns: string[]
  rows: { name: string; amounts: number[] }[]
}) {
  const say = useWords(words)
  const formats = useFormats()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      {rows.length === 0 && <Text c="dimmed">{say.none}</Text>}
      {rows.length > 0 && (
        <Paper withBorder>
          <Table.ScrollContainer minWidth={columns.length > 4 ? 560 : 320}>
            <Table aria-label={title}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column, index) => (
                    <Table.Th key={column} {...(index > 0 && { ta: 'right' })}>
                      {column}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map(({ name, amounts }) => (
                  <Table.Tr key={name}>
                    <Table.Td>{name}</Table.Td>
                    {amounts.map((amount, index) => (
                      <Table.Td key={columns[index + 1]} ta="right" className="digits">
                        {formats.number(amount)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
    </Stack>
  )
}
