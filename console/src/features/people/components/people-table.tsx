import { ActionIcon, Badge, Group, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { logOut } from '../../../lib/session.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { Breakable } from '../../../ui/breakable.tsx'
import { useMay } from '../../account/api/may.ts'
import { meQuery, useMe } from '../../account/api/me.ts'
import { type Proof, ProofDialog } from '../../security/components/proof-dialog.tsx'
import type { Person, Role } from '../api/people.ts'
import { roleWords } from '../words.ts'
import { RoleSelect } from './role-select.tsx'

const words = defineWords(
  {
    title: 'People',
    person: 'Person',
    role: 'Role',
    seen: 'Last seen',
    never: 'Never',
    you: 'You',
    holder: 'Account holder',
    factor: 'Second factor',
    roleOf: (email: string) => `Role of ${email}`,
    remove: (email: string) => `Remove ${email}`,
    leave: 'Leave this account',
    act: 'Remove or leave',
    removeTitle: 'Remove this person?',
    removeHint: (email: string) =>
      `${email} is logged out of this account at once. Keys stay valid: replace those that ${email} knows.`,
    leaveTitle: 'Leave this account?',
    leaveHint: 'You are logged out at once. Only another owner can invite you again.',
    demoteTitle: 'Give up your own ownership?',
    demoteHint: 'You can no longer invite people or change keys. Only another owner can undo this.',
    demote: 'Change my role',
    promoteTitle: 'Make this person an owner?',
    promoteHint: (email: string) => `${email} can then do everything, and remove you. Confirm with your own password.`,
    promote: 'Make owner',
    yes: 'Remove',
    yesLeave: 'Leave',
    no: 'Back'
  },
  {
    title: 'Personnes',
    person: 'Personne',
    role: 'Rôle',
    seen: 'Dernière activité',
    never: 'Jamais',
    you: 'Vous',
    holder: 'Titulaire du compte',
    factor: 'Second facteur',
    roleOf: (email: string) => `Rôle de ${email}`,
    remove: (email: string) => `Retirer ${email}`,
    leave: 'Quitter ce compte',
    act: 'Retirer ou quitter',
    removeTitle: 'Retirer cette personne ?',
    removeHint: (email: string) =>
      `${email} est déconnecté de ce compte immédiatement. Les clés restent valables : remplacez celles que ${email} connaît.`,
    leaveTitle: 'Quitter ce compte ?',
    leaveHint: 'Vous êtes déconnecté immédiatement. Seul un autre propriétaire peut vous réinviter.',
    demoteTitle: 'Renoncer à être propriétaire ?',
    demoteHint: 'Vous ne pourrez plus inviter ni changer les clés. Seul un autre propriétaire peut revenir dessus.',
    demote: 'Changer mon rôle',
    promoteTitle: 'Nommer cette personne propriétaire ?',
    promoteHint: (email: string) =>
      `${email} pourra alors tout faire, et vous retirer. Confirmez avec votre propre mot de passe.`,
    promote: 'Nommer propriétaire',
    yes: 'Retirer',
    yesLeave: 'Quitter',
    no: 'Retour'
  }
)

const nameOf = (person: Person) => `${person.first_name} ${person.last_name}`.trim()

export function PeopleTable({ people }: { people: Person[] }) {
  const say = useWords(words)
  const names = useWords(roleWords)
  const me = useMe()
  const formats = useFormats(me?.time_zone)
  const mayChange = useMay('people')
  const { setRole, remove, promoted, setPromoted, promote } = useChanges()
  return (
    <>
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={say.title} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.person}</Table.Th>
              <Table.Th>{say.role}</Table.Th>
              <Table.Th visibleFrom="sm">{say.seen}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{say.act}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {people.map((person) => (
              <Table.Tr key={person.id}>
                <Table.Td>
                  <Group gap="xs">
                    <Text size="sm" fw={600} className="breakable">
                      {nameOf(person) || <Breakable>{person.email}</Breakable>}
                    </Text>
                    {person.is_you && (
                      <Badge variant="light" tt="none">
                        {say.you}
                      </Badge>
                    )}
                    {person.is_holder && (
                      <Badge variant="default" tt="none">
                        {say.holder}
                      </Badge>
                    )}
                    {person.second_factor && (
                      <Badge variant="default" tt="none">
                        {say.factor}
                      </Badge>
                    )}
                  </Group>
                  {nameOf(person) !== '' && (
                    <Text size="xs" c="dimmed" className="breakable">
                      <Breakable>{person.email}</Breakable>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  {mayChange ? (
                    <RoleSelect
                      w={{ base: 140, sm: 150 }}
                      size="sm"
                      aria-label={say.roleOf(person.email)}
                      value={person.role}
                      onChange={(role) => role !== person.role && setRole(person, role)}
                    />
                  ) : (
                    names[person.role]
                  )}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  {person.last_seen_at ? formats.moment(person.last_seen_at) : <Text c="dimmed">{say.never}</Text>}
                </Table.Td>
                <Table.Td ta="right">
                  {(mayChange || (person.is_you && !me?.is_viewing)) && (
                    <Tooltip label={person.is_you ? say.leave : say.remove(person.email)}>
                      <ActionIcon
                        variant="subtle"
                        color="red"
                        aria-label={person.is_you ? say.leave : say.remove(person.email)}
                        onClick={() => remove(person)}
                      >
                        <IconTrash size={18} aria-hidden />
                      </ActionIcon>
                    </Tooltip>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {promoted && (
        <ProofDialog
          isOpen
          title={say.promoteTitle}
          hint={say.promoteHint(promoted.email)}
          label={say.promote}
          onClose={() => setPromoted(undefined)}
          act={(proof) => promote(promoted, proof)}
        />
      )}
    </>
  )
}

/** The two acts, each asked about first where it can't be undone. */
function useChanges() {
  const say = useWords(words)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['people'] })
  const change = useMutation({
    mutationFn: ({ id, role }: { id: number; role: Role }) =>
      call('changePersonRole', { path: { id }, body: { role } }),
    onSettled: refresh,
    onSuccess: (person) => person.is_you && queries.invalidateQueries({ queryKey: meQuery.queryKey })
  })
  const take = useMutation({
    mutationFn: (id: number) => call('removePerson', { path: { id } }),
    onSettled: refresh
  })
  const leave = useMutation({ mutationFn: () => call('leaveAccount'), onSuccess: logOut })
  const [promoted, setPromoted] = useState<Person>()
  return {
    promoted,
    setPromoted,
    async promote({ id }: Person, proof: Proof) {
      await call('changePersonRole', { path: { id }, body: { role: 'owner', ...proof } })
      setPromoted(undefined)
      await refresh()
    },
    setRole(person: Person, role: Role) {
      const { id, is_you: isYou } = person
      if (role === 'owner') return setPromoted(person)
      if (!isYou) return change.mutate({ id, role })
      askFirst({
        title: say.demoteTitle,
        children: say.demoteHint,
        labels: { confirm: say.demote, cancel: say.no },
        onConfirm: () => change.mutate({ id, role })
      })
    },
    remove({ id, email, is_you: isYou }: Person) {
      askFirst({
        title: isYou ? say.leaveTitle : say.removeTitle,
        children: isYou ? say.leaveHint : say.removeHint(email),
        labels: { confirm: isYou ? say.yesLeave : say.yes, cancel: say.no },
        confirmProps: { color: 'red' },
        onConfirm: () => (isYou ? leave.mutate() : take.mutate(id))
      })
    }
  }
}
