import { Grid, Paper, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useIsPhone } from '../../../ui/is-phone.ts'
import type { MessageResults, PeriodResults } from '../api/results.ts'
import { useErrorWords } from '../error-words.ts'
import { resultWords } from '../words.ts'

const words = defineWords(
  {
    countries: 'Countries',
    country: 'Country',
    carriers: 'Carriers',
    carrier: 'Carrier',
    noCarrier: 'Accepted by no carrier',
    errors: 'Errors',
    error: 'Error',
    links: 'Tracked links',
    link: 'Link',
    none: 'None'
  },
  {
    countries: 'Pays',
    country: 'Pays',
    carriers: 'Opérateurs',
    carrier: 'Opérateur',
    noCarrier: 'Acceptés par aucun opérateur',
    errors: 'Erreurs',
    error: 'Erreur',
    links: 'Liens suivis',
    link: 'Lien',
    none: 'Aucun'
  }
)

type Results = Pick<MessageResults, 'countries' | 'carriers' | 'errors'> & Partial<Pick<PeriodResults, 'links'>>

/** Recipients by country, carrier, error and, of a period, link: one part of a grid for each. */
export function Groups({ results }: { results: Results }) {
  const say = useWords(words)
  const errorIn = useErrorWords()
  const formats = useFormats()
  return (
    <>
      <Part title={say.countries}>
        <Rows
          name={say.country}
          rows={results.countries.map((row) => ({ ...row, value: formats.country(row.country) }))}
        />
      </Part>
      <Part title={say.carriers}>
        <Rows
          name={say.carrier}
          rows={[
            ...results.carriers.map((row) => ({ ...row, value: row.carrier })),
            ...withoutCarrier(results).map((row) => ({ ...row, value: say.noCarrier }))
          ]}
        />
      </Part>
      <Part title={say.errors}>
        <Rows name={say.error} rows={results.errors.map((row) => ({ ...row, value: errorIn(row.error) }))} />
      </Part>
      {results.links && (
        <Part title={say.links}>
          <Rows name={say.link} rows={results.links.map((row) => ({ ...row, value: row.link }))} />
        </Part>
      )}
    </>
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
/** A phone shows two of them at once. */
const PHONE_COUNTS = ['delivered', 'failed', 'recipients', 'clicked'] as const

type Counts = Record<(typeof COUNTS)[number], number>
type Group = Counts & { value: string }

/** Everybody is in a country; who is missing among the carriers was accepted by none of them. */
function withoutCarrier({ countries, carriers }: Results): Counts[] {
  const left = (count: keyof Counts) => sum(countries, count) - sum(carriers, count)
  const [recipients, delivered, failed, clicked] = COUNTS.map(left) as [number, number, number, number]
  return recipients > 0 ? [{ recipients, delivered, failed, clicked }] : []
}

function sum(rows: readonly Counts[], count: keyof Counts): number {
  return rows.reduce((total, row) => total + row[count], 0)
}

function Rows({ name, rows }: { name: string; rows: Group[] }) {
  const say = useWords(words)
  const results = useWords(resultWords)
  const formats = useFormats()
  const counts = useIsPhone() ? PHONE_COUNTS : COUNTS
  if (rows.length === 0) return <Text c="dimmed">{say.none}</Text>
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table horizontalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{name}</Table.Th>
            {counts.map((count) => (
              <Table.Th key={count} scope="col" ta="right">
                {results[count]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.value}>
              <Table.Th scope="row" fw={400} miw={156} className="words">
                {row.value}
              </Table.Th>
              {counts.map((count) => (
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
