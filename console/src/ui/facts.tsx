import { Table } from '@mantine/core'

/** A list of names and values; a missing value is left out. */
export function Facts({ rows, nameWidth }: { rows: [name: string, value: string | null][]; nameWidth: number }) {
  return (
    <Table withRowBorders={false} verticalSpacing={4} highlightOnHover={false} layout="fixed">
      <Table.Tbody>
        {rows
          .filter((row): row is [string, string] => row[1] !== null && row[1] !== '')
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
