import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconNotes, IconSend } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { meQuery } from '../features/account/api/me.ts'
import { deleteDraft, draftsQuery } from '../features/compose/api/drafts.ts'
import { forgetDraft, isKept } from '../features/compose/kept-draft.ts'
import type { Schemas } from '../lib/api.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Drafts',
    about: 'Messages that are not sent yet. Everyone who can send sees them and can continue them.',
    write: 'Write a message',
    none: 'No draft',
    noneHint: 'A message is saved as a draft while you write it.',
    unnamed: 'Without a name',
    changed: (moment: string) => `Changed ${moment}`,
    goOn: 'Continue',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete the draft “${name}”?`,
    removeHint: 'The text is lost.',
    keep: 'Cancel'
  },
  {
    title: 'Brouillons',
    about: 'Des messages pas encore envoyés. Toute personne qui peut envoyer les voit et peut les reprendre.',
    write: 'Écrire un message',
    none: 'Aucun brouillon',
    noneHint: 'Un message est enregistré comme brouillon pendant que vous l’écrivez.',
    unnamed: 'Sans nom',
    changed: (moment: string) => `Modifié le ${moment}`,
    goOn: 'Reprendre',
    remove: 'Supprimer',
    removeTitle: (name: string) => `Supprimer le brouillon « ${name} » ?`,
    removeHint: 'Le texte est perdu.',
    keep: 'Annuler'
  }
)

export function Drafts() {
  const say = useWords(words)
  const { data: drafts, error, refetch } = useQuery(draftsQuery)
  return (
    <Page title={say.title} about={say.about} actions={drafts?.length !== 0 && <WriteButton />}>
      {error && !drafts ? (
        <ErrorState error={error} reset={() => void refetch()} />
      ) : !drafts ? (
        <RowsLoading rows={3} height={120} />
      ) : drafts.length === 0 ? (
        <EmptyState icon={<IconNotes size={28} aria-hidden />} title={say.none} action={<WriteButton />}>
          {say.noneHint}
        </EmptyState>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {drafts.map((draft) => (
            <DraftCard key={draft.id} draft={draft} />
          ))}
        </SimpleGrid>
      )}
    </Page>
  )
}

function WriteButton() {
  const say = useWords(words)
  if (!useMay('send')) return null
  return (
    <Button component={Link} to="/send" onClick={forgetDraft} leftSection={<IconSend size={18} aria-hidden />}>
      {say.write}
    </Button>
  )
}

function DraftCard({ draft }: { draft: Schemas['DraftLine'] }) {
  const say = useWords(words)
  const maySend = useMay('send')
  const me = useQuery(meQuery).data
  const formats = useFormats(me?.time_zone)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const name = draft.name || say.unnamed
  const remove = useMutation({
    mutationFn: () => deleteDraft(draft.id),
    onSuccess() {
      // The page to write messages must not save it again.
      if (me && isKept(me.id, draft.id)) forgetDraft()
      return queries.invalidateQueries({ queryKey: ['drafts'] })
    }
  })
  function ask(): void {
    askFirst({
      title: say.removeTitle(name),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.remove, cancel: say.keep },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate()
    })
  }
  return (
    <Paper withBorder p="md" component="article" aria-label={name}>
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h5" className="cut" title={name}>
            {name}
          </Title>
          <Badge variant="light" tt="none">
            {draft.channel.toUpperCase()}
          </Badge>
        </Group>
        <Text size="sm" className="words" lineClamp={3} style={{ flex: 1 }}>
          {draft.preview ?? ''}
        </Text>
        <Text size="xs" c="dimmed">
          {say.changed(formats.moment(draft.updated_at))}
        </Text>
        {maySend && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              onClick={() => void navigate({ to: '/send', search: { draft: draft.id } as never })}
            >
              {say.goOn}
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" onClick={ask}>
              {say.remove}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
