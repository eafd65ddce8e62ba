import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Breakable } from '../../../ui/breakable.tsx'
import { Card } from '../../../ui/card.tsx'

const words = defineWords(
  {
    title: 'Opt-outs by sender, messages of the last 30 days',
    sender: 'Sender',
    sent: 'Sent',
    optOuts: 'Opt-outs',
    rate: 'Rate',
    reply: (count: string) => `${count} by reply`,
    link: (count: string) => `${count} by link`,
    button: (count: string) => `${count} by button`,
    platform: (count: string) => `${count} by the RCS app`
  },
  {
    title: 'Désinscriptions par expéditeur, messages des 30 derniers jours',
    sender: 'Expéditeur',
    sent: 'Envoyés',
    optOuts: 'STOP',
    rate: 'Taux',
    reply: (count: string) => `${count} par réponse`,
    link: (count: string) => `${count} par lien`,
    button: (count: string) => `${count} par bouton`,
    platform: (count: string) => `${count} par l’app RCS`
  }
)

const WAYS = ['reply', 'link', 'button', 'platform'] as const

/** Nothing is shown while nobody was written to. */
export function RatesTable() {
  const say = useWords(words)
  const formats = useFormats()
  const { data = [] } = useQuery({
    queryKey: ['stops', 'rates'],
    queryFn: ({ signal }) => call('readOptOutRates', { query: { by: 'sender' }, signal })
  })
  if (data.length === 0) return null
  return (
    <Card title={say.title}>
      <Table.ScrollContainer minWidth={0}>
        <Table horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.sender}</Table.Th>
              <Table.Th ta="right">{say.sent}</Table.Th>
              <Table.Th ta="right">{say.optOuts}</Table.Th>
              <Table.Th ta="right">{say.rate}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map((row) => (
              <Table.Tr key={row.sender}>
                <Table.Td className="words">
                  <Breakable>{row.sender}</Breakable>
                </Table.Td>
                <Table.Td ta="right" className="digits">
                  {formats.number(row.sent)}
                </Table.Td>
                <Table.Td ta="right" className="digits">
                  {formats.number(row.opt_outs)}
                  {row.opt_outs > 0 && (
                    <Text size="xs" c="dimmed">
                      {WAYS.flatMap((way) => {
                        const count = row.ways[way] ?? 0
                        return count > 0 ? [say[way](formats.number(count))] : []
                      }).join(', ')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right" className="digits">
                  {formats.rate(row.rate)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  )
}
