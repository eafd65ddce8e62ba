import { ScrollArea, Table } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { PriceRow } from '../api/prices.ts'

export const priceWords = defineWords(
  {
    kind: 'Message',
    prefix: 'Prefix',
    credits: 'Credits',
    others: 'All other numbers',
    sms: 'SMS segment',
    rcs_basic: 'RCS, short text',
    rcs_single: 'RCS, any other',
    rcs_conversation: 'RCS conversation, 24 hours'
  },
  {
    kind: 'Message',
    prefix: 'Préfixe',
    credits: 'Crédits',
    others: 'Tous les autres numéros',
    sms: 'Segment SMS',
    rcs_basic: 'RCS, texte court',
    rcs_single: 'RCS, tout autre',
    rcs_conversation: 'Conversation RCS, 24 heures'
  }
)

export function PricesTable({ label, rows }: { label: string; rows: readonly PriceRow[] }) {
  const say = useWords(priceWords)
  const { number } = useFormats()
  return (
    // The bar stays in sight where there is more, and a row is cut in half.
    <ScrollArea.Autosize
      mah={438}
      type="auto"
      offsetScrollbars="present"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}
    >
      <Table aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say.kind}</Table.Th>
            <Table.Th>{say.prefix}</Table.Th>
            <Table.Th ta="right">{say.credits}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ kind, prefix, credits }) => (
            <Table.Tr key={`${kind} ${prefix}`}>
              <Table.Td>{say[kind]}</Table.Td>
              <Table.Td className="digits">{prefix === '*' ? say.others : `+${prefix}`}</Table.Td>
              <Table.Td ta="right" className="digits">
                {number(credits)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  )
}
