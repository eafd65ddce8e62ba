import { Button, Paper, Stack, Title } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../features/account/api/may.ts'
import { invitationsQuery, peopleQuery } from '../features/people/api/people.ts'
import { InvitationsTable } from '../features/people/components/invitations-table.tsx'
import { InviteDialog } from '../features/people/components/invite-dialog.tsx'
import { PeopleTable } from '../features/people/components/people-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'People',
    about: 'Everybody who may log in to this account, and what they may do.',
    invite: 'Invite a person',
    open: 'Open invitations'
  },
  {
    title: 'Personnes',
    about: 'Celles et ceux qui peuvent se connecter à ce compte, et ce qu’ils peuvent faire.',
    invite: 'Inviter une personne',
    open: 'Invitations en attente'
  }
)

export function People() {
  const say = useWords(words)
  const mayChange = useMay('people')
  const [isInviting, setInviting] = useState(false)
  const people = useQuery(peopleQuery)
  const { data: invitations = [] } = useQuery(invitationsQuery)
  if (people.isError && !people.data) return <ErrorState error={people.error} reset={() => void people.refetch()} />
  if (!people.data) return <PageLoading />
  const invite = (
    <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setInviting(true)}>
      {say.invite}
    </Button>
  )
  return (
    <Page title={say.title} about={say.about} actions={mayChange && invite}>
      <Paper withBorder p="sm">
        <PeopleTable people={people.data} />
      </Paper>
      {invitations.length > 0 && (
        <Stack gap="sm">
          <Title order={2} size="h4">
            {say.open}
          </Title>
          <Paper withBorder p="sm">
            <InvitationsTable invitations={invitations} />
          </Paper>
        </Stack>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  )
}
