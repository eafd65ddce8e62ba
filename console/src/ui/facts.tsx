import { Box, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Breakable } from './breakable.tsx'
import { useIsPhone } from './is-phone.ts'

/** A list of names and values; a missing value is left out. On a phone the name stands above its value. */
export function Facts({ rows, nameWidth }: { rows: [name: string, value: ReactNode][]; nameWidth: number }) {
  const isPhone = useIsPhone()
  const known = rows.filter(([, value]) => value !== null && value !== '')
  if (isPhone) {
    return (
      <Box component="dl" my={0}>
        {known.map(([name, value]) => (
          <Box key={name} py={4}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="words">
              {told(value)}
            </Text>
          </Box>
        ))}
      </Box>
    )
  }
  return (
    <Table withRowBorders={false} verticalSpacing={4} highlightOnHover={false} layout="fixed">
      <Table.Tbody>
        {known.map(([name, value]) => (
          <Table.Tr key={name} style={{ verticalAlign: 'top' }}>
            <Table.Th scope="row" fw={400} c="dimmed" pl={0} w={nameWidth}>
              {name}
            </Table.Th>
            <Table.Td className="words">{told(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const told = (value: ReactNode) => (typeof value === 'string' ? <Breakable>{value}</Breakable> : value)
