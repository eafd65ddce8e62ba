import { SegmentedControl, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Bars } from '../../../ui/bars.tsx'
import { Card } from '../../../ui/card.tsx'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { ErrorState, RowsLoading } from '../../../ui/states.tsx'
import { useErrorWords } from '../../results/error-words.ts'
import { type CarrierHistory as History, historyQuery } from '../api/operator.ts'

const words = defineWords(
  {
    title: 'History',
    about: 'Times are averages. An RCS that falls back is not delivered.',
    period: 'Period',
    periods: { hour: 'Hour', day: 'Day', month: 'Month' },
    none: 'Nothing was sent in this period.',
    carrier: 'Carrier',
    country: 'Country',
    sent: 'Sent',
    rejected: 'Rejected',
    rate: 'Msgs/s',
    answer: 'Answer time',
    receipt: 'Receipt delay',
    delivery: 'Delivery rate',
    countries: 'By country',
    errors: 'Errors',
    error: 'Error',
    recipients: 'Recipients',
    time: 'Time',
    chart: (carrier: string) => `Sent through ${carrier}`,
    seconds: (value: string) => `${value} s`
  },
  {
    title: 'Historique',
    about: 'Les durées sont des moyennes. Un RCS remplacé par un SMS n’est pas délivré.',
    period: 'Période',
    periods: { hour: 'Heure', day: 'Jour', month: 'Mois' },
    none: 'Rien n’a été envoyé pendant cette période.',
    carrier: 'Opérateur',
    country: 'Pays',
    sent: 'Envoyés',
    rejected: 'Rejetés',
    rate: 'Messages/s',
    answer: 'Temps de réponse',
    receipt: 'Délai des accusés',
    delivery: 'Taux de délivrance',
    countries: 'Par pays',
    errors: 'Erreurs',
    error: 'Erreur',
    recipients: 'Destinataires',
    time: 'Moment',
    chart: (carrier: string) => `Envoyés par ${carrier}`,
    seconds: (value: string) => `${value} s`
  }
)

type Period = History['period']
const PERIODS: Period[] = ['hour', 'day', 'month']

/** How the carriers did over the last hour, day or month. */
export function CarrierHistory({ timeZone }: { timeZone: string | undefined }) {
  const say = useWords(words)
  const [period, setPeriod] = useState<Period>('day')
  const { data, isError, error, refetch } = useQuery(historyQuery(period))
  return (
    <Card title={say.title} about={say.about}>
      <SegmentedControl
        aria-label={say.period}
        style={{ alignSelf: 'flex-start' }}
        value={period}
        onChange={(value) => setPeriod(value as Period)}
        data={PERIODS.map((value) => ({ value, label: say.periods[value] }))}
      />
      {isError && !data && <ErrorState error={error} reset={() => void refetch()} />}
      {!data && !isError && <RowsLoading rows={3} />}
      {data && (data.carriers.length === 0 ? <Text>{say.none}</Text> : <Told history={data} timeZone={timeZone} />)}
    </Card>
  )
}

function Told({ history, timeZone }: { history: History; timeZone: string | undefined }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const errorIn = useErrorWords()
  const isPhone = useIsPhone()
  const { carriers, countries, errors, period } = history
  const labelOf = (at: string) => (period === 'month' ? formats.shortDay(at.slice(0, 10)) : formats.time(at))
  return (
    <Stack>
      <FigureTable rows={carriers.map((row) => ({ ...row, name: [row.carrier] }))} heads={[say.carrier]} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {carriers.map(({ carrier, points }) => (
          <div key={carrier}>
            <Text size="sm" fw={600} mb="xs">
              {say.chart(carrier)}
            </Text>
            <Bars
              height={160}
              caption={say.chart(carrier)}
              head={say.time}
              rows={points.map(({ at, accepted }) => ({ label: labelOf(at), accepted }))}
              series={[{ name: 'accepted', label: say.sent, color: 'telegraph.6' }]}
            />
          </div>
        ))}
      </SimpleGrid>
      <Title order={3} size="h5">
        {say.countries}
      </Title>
      <FigureTable
        rows={countries.map((row) => ({ ...row, name: [row.carrier, formats.country(row.country)] }))}
        heads={[say.carrier, say.country]}
      />
      {errors.length > 0 && (
        <>
          <Title order={3} size="h5">
            {say.errors}
          </Title>
          <Scrolled {...(isPhone && { minWidth: 0 })}>
            <Heads
              titles={
                isPhone
                  ? [say.error, say.recipients, say.carrier, say.country]
                  : [say.carrier, say.country, say.error, say.recipients]
              }
              figures={[say.recipients]}
            />
            <Table.Tbody>
              {errors.map(({ carrier, country, error, recipients }) => {
                const where = (
                  <>
                    <Table.Td>{carrier}</Table.Td>
                    <Table.Td>{formats.country(country)}</Table.Td>
                  </>
                )
                return (
                  <Table.Tr key={`${carrier} ${country} ${error}`}>
                    {!isPhone && where}
                    <Table.Td className="words" miw={136}>
                      {errorIn(error)}
                    </Table.Td>
                    <FigureCell>{formats.number(recipients)}</FigureCell>
                    {isPhone && where}
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Scrolled>
        </>
      )}
    </Stack>
  )
}

type Figures = Omit<History['countries'][number], 'carrier' | 'country'>
type Figure = [title: string, tell: (row: Figures) => string]

function FigureTable({ rows, heads }: { rows: (Figures & { name: string[] })[]; heads: string[] }) {
  const say = useWords(words)
  const formats = useFormats()
  const isPhone = useIsPhone()
  const seconds = (value: number | null) =>
    value === null ? '–' : say.seconds(formats.number(Math.round(value * 100) / 100))
  const delivery: Figure = [say.delivery, (row) => formats.rate(row.delivery_rate)]
  const figures: Figure[] = [
    [say.sent, (row) => formats.number(row.accepted)],
    // A phone shows two of them at once.
    ...(isPhone ? [delivery] : []),
    [say.rejected, (row) => formats.number(row.rejected)],
    [say.rate, (row) => formats.number(Math.round(row.per_second * 100) / 100)],
    [say.answer, (row) => seconds(row.answer_seconds)],
    [say.receipt, (row) => seconds(row.receipt_seconds)],
    ...(isPhone ? [] : [delivery])
  ]
  const titles = figures.map(([title]) => title)
  return (
    <Scrolled>
      <Heads titles={[...heads, ...titles]} figures={titles} />
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.name.join(' ')}>
            {row.name.map((part, index) => (
              <Table.Td key={heads[index]}>{part}</Table.Td>
            ))}
            {figures.map(([title, tell]) => (
              <FigureCell key={title}>{tell(row)}</FigureCell>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Scrolled>
  )
}

/** Those of figures stand at the right, as the figures do. */
function Heads({ titles, figures }: { titles: string[]; figures: string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {titles.map((title) => (
          <Table.Th key={title} {...(figures.includes(title) && { ta: 'right' })}>
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  )
}

function FigureCell({ children }: { children: string }) {
  return (
    <Table.Td ta="right" className="digits">
      {children}
    </Table.Td>
  )
}

function Scrolled({ children, minWidth = 640 }: { children: React.ReactNode; minWidth?: number }) {
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table>{children}</Table>
    </Table.ScrollContainer>
  )
}
