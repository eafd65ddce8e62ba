import { Button, Grid, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useMe } from '../features/account/api/me.ts'
import { type MessageResults, messageResultsQuery, nameOfMessage } from '../features/results/api/results.ts'
import { Chart, Charts } from '../features/results/components/charts.tsx'
import { Groups } from '../features/results/components/groups.tsx'
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
    sent: (moment: string) => `Sent on ${moment}`,
    deliveries: 'Deliveries by hour',
    reactions: 'Clicks, replies and opt-outs by hour',
    link: 'Tracked link'
  },
  {
    title: (name: string) => `Résultats : ${name}`,
    message: 'Message',
    due: (moment: string) => `Envoi prévu le ${moment}`,
    sent: (moment: string) => `Envoyé le ${moment}`,
    deliveries: 'Messages délivrés par heure',
    reactions: 'Clics, réponses et désinscriptions par heure',
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
  const { message_id: id, link, due_at: dueAt } = results
  const isDue = Date.parse(dueAt) <= Date.now()
  return (
    <Page
      title={say.title(nameOfMessage(results).slice(0, NAME_MAX))}
      about={(isDue ? say.sent : say.due)(formats.moment(dueAt))}
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
          <ExportButton
            label={names.pdf}
            fetchFile={() => download('extractMessageResults', { id }, { language }, 'application/pdf')}
            name={`results-${id}.pdf`}
          />
        </>
      }
    >
      <RateTiles results={results} />
      {link !== null && (
        <Text size="sm" c="dimmed" className="words">
          {names.fact(say.link, link)}
        </Text>
      )}
      <Charts>
        <Chart title={say.deliveries}>
          <HoursChart hours={results.hours} names={['delivered']} />
        </Chart>
        <Chart title={say.reactions}>
          <HoursChart hours={results.hours} names={['clicked', 'replied', 'opted_out']} />
        </Chart>
      </Charts>
      <Grid gap="lg">
        <Groups results={results} />
      </Grid>
    </Page>
  )
}
