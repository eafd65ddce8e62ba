import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A list of names and values; a missing value is left out. */
export function Facts({ rows, nameWidth }: { rows: [name: string, value: ReactNode][]; nameWidth: number }) {
  return (
    <Table withRowBorders={false} verticalSpacing={4} highlightOnHover={false} layout="fixed">
      <Table.Tbody>
        {rows
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <Table.Tr key={name} style={{ verticalAlign: 'top' }}>
              <Table.Th scope="row" fw={400} c="dimmed" pl={0} w={nameWidth}>
                {name}
              </Table.Th>
              <Table.Td className="words">{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  )
}
