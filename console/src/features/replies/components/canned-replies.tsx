import { ActionIcon, Button, Group, Menu, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconMessage2, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { defineWords, readLanguage, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { type CannedReply, cannedRepliesQuery, deleteCannedReply, saveCannedReply } from '../api/canned-replies.ts'

const words = defineWords(
  {
    title: 'Canned replies',
    none: 'No canned reply yet',
    edit: 'Edit canned replies',
    create: 'New canned reply',
    change: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Delete ${name}`,
    name: 'Name',
    text: 'Text',
    textHint: '#champ_prenom#, #champ_nom#, #champ_ville# and the other fields take the values of the contact.',
    save: 'Save',
    back: 'Back'
  },
  {
    title: 'Réponses types',
    none: 'Aucune réponse type pour l’instant',
    edit: 'Modifier les réponses types',
    create: 'Nouvelle réponse type',
    change: (name: string) => `Modifier ${name}`,
    remove: (name: string) => `Supprimer ${name}`,
    name: 'Nom',
    text: 'Texte',
    textHint: '#champ_prenom#, #champ_nom#, #champ_ville# et les autres champs prennent les valeurs du contact.',
    save: 'Enregistrer',
    back: 'Retour'
  }
)

/** Texts to answer with. Their variables are still in them. */
export function CannedRepliesMenu({ onChoose }: { onChoose(content: string): void }) {
  const say = useWords(words)
  const { data = [] } = useQuery(cannedRepliesQuery)
  return (
    <Menu position="top-start" width={300}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={say.title}>
          <IconMessage2 size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {data.map(({ id, name, content }) => (
          <Menu.Item key={id} onClick={() => onChoose(content)}>
            {name}
            <Text size="xs" c="dimmed" lineClamp={1}>
              {content}
            </Text>
          </Menu.Item>
        ))}
        {data.length > 0 && <Menu.Divider />}
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={openDialog}>
          {say.edit}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function openDialog(): void {
  modals.open({ title: words[readLanguage()].title, children: <Dialog /> })
}

type Draft = Omit<CannedReply, 'id'> & { id: number | undefined }

/** All of them, or the one that is being written. */
function Dialog() {
  const say = useWords(words)
  const client = useQueryClient()
  const { data = [] } = useQuery(cannedRepliesQuery)
  const [draft, setDraft] = useState<Draft>()
  const remove = useMutation({
    mutationFn: deleteCannedReply,
    onSettled: () => client.invalidateQueries(cannedRepliesQuery)
  })
  if (draft) return <Editor first={draft} onDone={() => setDraft(undefined)} />
  return (
    <Stack gap="xs">
      {data.length === 0 && <Text size="sm">{say.none}</Text>}
      {data.map((reply) => (
        <Group key={reply.id} gap="xs" wrap="nowrap">
          <div style={{ flex: 1, minWidth: 0 }}>
            <Text size="sm" fw={600} className="cut">
              {reply.name}
            </Text>
            <Text size="sm" c="dimmed" lineClamp={2}>
              {reply.content}
            </Text>
          </div>
          <ActionIcon variant="subtle" color="gray" aria-label={say.change(reply.name)} onClick={() => setDraft(reply)}>
            <IconPencil size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say.remove(reply.name)}
            loading={remove.isPending && remove.variables === reply.id}
            onClick={() => remove.mutate(reply.id)}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="light"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => setDraft({ id: undefined, name: '', content: '' })}
      >
        {say.create}
      </Button>
    </Stack>
  )
}

function Editor({ first, onDone }: { first: Draft; onDone(): void }) {
  const say = useWords(words)
  const client = useQueryClient()
  const [draft, setDraft] = useState(first)
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: () => saveCannedReply(draft),
    async onSuccess() {
      await client.invalidateQueries(cannedRepliesQuery)
      onDone()
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
        <TextInput
          label={say.name}
          required
          maxLength={255}
          value={draft.name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Textarea
          label={say.text}
          description={say.textHint}
          required
          maxLength={1000}
          autosize
          minRows={3}
          maxRows={10}
          value={draft.content}
          onChange={(event) => setDraft({ ...draft, content: event.currentTarget.value })}
        />
        {save.error && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {say.back}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
