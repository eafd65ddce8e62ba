import { Anchor, Paper, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { compareQuery, type MessageResult, nameOfMessage } from '../features/results/api/results.ts'
import { RATE_NAMES, type RateName, resultWords } from '../features/results/words.ts'
import { ApiError } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  { title: 'Messages side by side', about: 'The best of each rate is in bold.', due: 'Send time', channel: 'Channel' },
  {
    title: 'Messages côte à côte',
    about: 'Le meilleur de chaque taux est en gras.',
    due: 'Date d’envoi',
    channel: 'Canal'
  }
)

const COUNTS = ['recipients', 'sent', 'delivered', 'clicked', 'replied', 'opted_out'] as const

export function Compare() {
  const { messages } = useSearch({ strict: false }) as { messages?: unknown }
  // The router reads one id as a number.
  const ids = String(messages ?? '')
    .split(',')
    .map(Number)
  const { data, isError, error, refetch } = useQuery(compareQuery(ids))
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return data ? <SideBySide rows={data} /> : <PageLoading />
}

function SideBySide({ rows }: { rows: MessageResult[] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats(useMe()?.time_zone)
  const lines: { title: string; cell(row: MessageResult): string; isBest?(row: MessageResult): boolean }[] = [
    { title: say.due, cell: (row) => formats.moment(row.due_at) },
    { title: say.channel, cell: (row) => row.channel.toUpperCase() },
    ...COUNTS.map((name) => ({ title: results[name], cell: (row: MessageResult) => formats.number(row[name]) })),
    ...RATE_NAMES.map((name) => ({
      title: results[name],
      cell: (row: MessageResult) => formats.rate(row[name]),
      isBest: (row: MessageResult) => rows.length > 1 && row[name] !== null && row[name] === bestOf(name, rows)
    }))
  ]
  return (
    <Page title={say.title} about={say.about}>
      <Paper withBorder p="md">
        <Table.ScrollContainer minWidth={0}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Td />
                {rows.map((row) => (
                  <Table.Th key={row.message_id} scope="col" maw={220} miw={140}>
                    <Anchor component={Link} to={`/messages/${row.message_id}/results`} lineClamp={3}>
                      {nameOfMessage(row)}
                    </Anchor>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.map(({ title, cell, isBest }) => (
                <Table.Tr key={title}>
                  <Table.Th scope="row" fw={400}>
                    {title}
                  </Table.Th>
                  {rows.map((row) => (
                    <Table.Td key={row.message_id} className="digits" fw={isBest?.(row) ? 700 : 400}>
                      {cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Page>
  )
}

/** Of opt-outs the fewest are best. */
function bestOf(name: RateName, rows: MessageResult[]): number {
  const rates = rows.flatMap((row) => row[name] ?? [])
  return name === 'opt_out_rate' ? Math.min(...rates) : Math.max(...rates)
}
