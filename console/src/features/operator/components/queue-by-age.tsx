import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { queueByAgeQuery } from '../api/operator.ts'

const words = defineWords(
  {
    title: 'Queue by age',
    about: 'Recipients that are due and wait for a carrier.',
    route: 'Route',
    carriers: 'Carriers',
    category: 'Message type',
    transactional: 'Transactional',
    marketing: 'Marketing',
    total: 'Waiting',
    minute: 'Up to 1 min',
    five: '1 to 5 min',
    hour: '5 min to 1 h',
    older: 'Over 1 h',
    empty: 'The queue is empty.'
  },
  {
    title: 'File d’attente par âge',
    about: 'Destinataires à envoyer qui attendent un opérateur.',
    route: 'Route',
    carriers: 'Opérateurs',
    category: 'Type de message',
    transactional: 'Transactionnel',
    marketing: 'Marketing',
    total: 'En attente',
    minute: 'Jusqu’à 1 min',
    five: '1 à 5 min',
    hour: '5 min à 1 h',
    older: 'Plus d’1 h',
    empty: 'La file d’attente est vide.'
  }
)

/** What waits, and for how long. */
export function QueueByAge() {
  const say = useWords(words)
  const formats = useFormats()
  const { data } = useQuery(queueByAgeQuery)
  if (!data) return null
  if (data.length === 0) {
    return (
      <Card title={say.title} about={say.about}>
        <Text size="sm">{say.empty}</Text>
      </Card>
    )
  }
  const titles = [say.route, say.carriers, say.category, say.total, say.minute, say.five, say.hour, say.older]
  return (
    <Card title={say.title} about={say.about}>
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {titles.map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map((row) => (
              <Table.Tr key={`${row.route} ${row.category} ${row.carriers.join()}`}>
                <Table.Td>{row.route}</Table.Td>
                <Table.Td>{row.carriers.join(', ')}</Table.Td>
                <Table.Td>{say[row.category]}</Table.Td>
                {[row.recipients, row.up_to_minute, row.up_to_five_minutes, row.up_to_hour, row.older].map(
                  (count, index) => (
                    <Table.Td key={titles[index + 3]} className="digits">
                      {formats.number(count)}
                    </Table.Td>
                  )
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  )
}
