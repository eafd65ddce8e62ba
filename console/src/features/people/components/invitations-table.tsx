import { Button, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Breakable } from '../../../ui/breakable.tsx'
import { useMay } from '../../account/api/may.ts'
import { useMe } from '../../account/api/me.ts'
import type { Invitation } from '../api/people.ts'
import { roleWords } from '../words.ts'

const words = defineWords(
  {
    title: 'Open invitations',
    email: 'Email',
    role: 'Role',
    until: 'Valid until',
    withdraw: 'Withdraw',
    withdrawOf: (email: string) => `Withdraw the invitation of ${email}`,
    act: 'Withdraw'
  },
  {
    title: 'Invitations en attente',
    email: 'E-mail',
    role: 'Rôle',
    until: 'Valable jusqu’au',
    withdraw: 'Annuler',
    withdrawOf: (email: string) => `Annuler l’invitation de ${email}`,
    act: 'Annuler'
  }
)

export function InvitationsTable({ invitations }: { invitations: Invitation[] }) {
  const say = useWords(words)
  const names = useWords(roleWords)
  const formats = useFormats(useMe()?.time_zone)
  const mayChange = useMay('people')
  const queries = useQueryClient()
  const withdraw = useMutation({
    mutationFn: (id: number) => call('withdrawInvitation', { path: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] })
  })
  return (
    <Table aria-label={say.title} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{say.email}</Table.Th>
          <Table.Th>{say.role}</Table.Th>
          <Table.Th visibleFrom="sm">{say.until}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{say.act}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {invitations.map(({ id, email, role, expires_at: until }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Text size="sm" className="breakable">
                <Breakable>{email}</Breakable>
              </Text>
            </Table.Td>
            <Table.Td>{names[role]}</Table.Td>
            <Table.Td visibleFrom="sm">{formats.day(until)}</Table.Td>
            <Table.Td ta="right">
              {mayChange && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  color="red"
                  aria-label={say.withdrawOf(email)}
                  loading={withdraw.isPending && withdraw.variables === id}
                  onClick={() => withdraw.mutate(id)}
                >
                  {say.withdraw}
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
