import { Button, Grid, Paper, Table, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { type MessageResults, messageResultsQuery, nameOfMessage } from '../features/results/api/results.ts'
import { HoursChart } from '../features/results/components/hours-chart.tsx'
import { RateTiles } from '../features/results/components/rate-tiles.tsx'
import { resultWords } from '../features/results/words.ts'
import { ApiError, download } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    title: (name: string) => `Results: ${name}`,
    message: 'Message',
    due: (moment: string) => `Scheduled for ${moment}`,
    deliveries: 'Deliveries by hour',
    reactions: 'Clicks, replies and opt-outs by hour',
    countries: 'Countries',
    country: 'Country',
    carriers: 'Carriers',
    carrier: 'Carrier',
    errors: 'Errors',
    error: 'Error',
    none: 'None',
    link: 'Tracked link'
  },
  {
    title: (name: string) => `Résultats : ${name}`,
    message: 'Message',
    due: (moment: string) => `Envoi prévu le ${moment}`,
    deliveries: 'Remises par heure',
    reactions: 'Clics, réponses et désinscriptions par heure',
    countries: 'Pays',
    country: 'Pays',
    carriers: 'Opérateurs',
    carrier: 'Opérateur',
    errors: 'Erreurs',
    error: 'Erreur',
    none: 'Aucun',
    link: 'Lien suivi'
  }
)

export function MessageResultsPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, isError, error, refetch } = useQuery(messageResultsQuery(Number(id)))
  if (isError && error instanceof ApiError && error.status === 404) return <NotFound />
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  return data ? <Results results={data} /> : <PageLoading />
}

const NAME_MAX = 60

function Results({ results }: { results: MessageResults }) {
  const say = useWords(words)
  const names = useWords(resultWords)
  const language = useLanguage()
  const formats = useFormats(useMe()?.time_zone)
  const { message_id: id, link } = results
  const countries = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' })
  return (
    <Page
      title={say.title(nameOfMessage(results).slice(0, NAME_MAX))}
      about={say.due(formats.moment(results.due_at))}
      actions={
        <>
          <Button
            component={Link}
            to={`/messages/${id}`}
            variant="default"
            leftSection={<IconArrowLeft size={18} aria-hidden />}
          >
            {say.message}
          </Button>
          <ExportButton fetchFile={() => download('extractMessageResults', { id })} name={`results-${id}.csv`} />
        </>
      }
    >
      <RateTiles results={results} />
      {link !== null && (
        <Text size="sm" c="dimmed" className="words">
          {names.fact(say.link, link)}
        </Text>
      )}
      <Grid gap="lg">
        <Part title={say.deliveries}>
          <HoursChart hours={results.hours} names={['delivered']} />
        </Part>
        <Part title={say.reactions}>
          <HoursChart hours={results.hours} names={['clicked', 'replied', 'opted_out']} />
        </Part>
        <Part title={say.countries}>
          <Groups
            name={say.country}
            rows={results.countries.map((row) => ({ ...row, value: countries.of(row.country) ?? row.country }))}
          />
        </Part>
        <Part title={say.carriers}>
          <Groups name={say.carrier} rows={results.carriers.map((row) => ({ ...row, value: row.carrier }))} />
        </Part>
        <Part title={say.errors}>
          <Groups name={say.error} rows={results.errors.map((row) => ({ ...row, value: row.error }))} />
        </Part>
      </Grid>
    </Page>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Grid.Col span={{ base: 12, md: 6 }}>
      <Paper withBorder p="md" h="100%" component="section" aria-label={title}>
        <Title order={2} size="h4" mb="sm">
          {title}
        </Title>
        {children}
      </Paper>
    </Grid.Col>
  )
}

const COUNTS = ['recipients', 'delivered', 'failed', 'clicked'] as const

type Group = Record<(typeof COUNTS)[number], number> & { value: string }

function Groups({ name, rows }: { name: string; rows: Group[] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats()
  if (rows.length === 0) return <Text c="dimmed">{say.none}</Text>
  return (
    <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{name}</Table.Th>
            {COUNTS.map((count) => (
              <Table.Th key={count} scope="col" ta="right">
                {results[count]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.value}>
              <Table.Th scope="row" fw={400} className="words">
                {row.value}
              </Table.Th>
              {COUNTS.map((count) => (
                <Table.Td key={count} ta="right" className="digits">
                  {formats.number(row[count])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
