import { Button, Group, Stack, TagsInput, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { defineWords, readLanguage, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { labelMessage, type Message } from '../api/messages.ts'

const words = defineWords(
  {
    title: 'Name and tags',
    name: 'Name',
    eachName: 'Name of each message',
    nameHint: 'Only you see it.',
    tags: 'Tags',
    tagsHint: 'Press Enter after each tag.',
    save: 'Save',
    back: 'Back'
  },
  {
    title: 'Nom et étiquettes',
    name: 'Nom',
    eachName: 'Nom de chaque message',
    nameHint: 'Visible par vous seul.',
    tags: 'Étiquettes',
    tagsHint: 'Appuyez sur Entrée après chaque étiquette.',
    save: 'Enregistrer',
    back: 'Retour'
  }
)

export interface Labels {
  name: string
  tags: string[]
}

/** A name and tags, as they are typed. */
export function LabelFields({
  labels,
  onChange,
  isRepeated = false
}: {
  labels: Labels
  onChange(labels: Labels): void
  /** The labels are of every message that a schedule sends. */
  isRepeated?: boolean
}) {
  const say = useWords(words)
  return (
    <>
      <TextInput
        label={isRepeated ? say.eachName : say.name}
        description={say.nameHint}
        maxLength={120}
        value={labels.name}
        onChange={(event) => onChange({ ...labels, name: event.currentTarget.value })}
      />
      <TagsInput
        label={say.tags}
        description={say.tagsHint}
        maxTags={20}
        maxLength={50}
        acceptValueOnBlur
        value={labels.tags}
        onChange={(tags) => onChange({ ...labels, tags })}
      />
    </>
  )
}

export function openLabelsDialog(message: Message): void {
  const id = 'labels'
  modals.open({
    modalId: id,
    title: words[readLanguage()].title,
    children: <LabelsDialog message={message} onClose={() => modals.close(id)} />
  })
}

function LabelsDialog({ message, onClose }: { message: Message; onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const [labels, setLabels] = useState<Labels>({ name: message.name ?? '', tags: message.tags ?? [] })
  const save = useMutation({
    mutationFn: () => labelMessage(message.id, { name: labels.name.trim() || null, tags: labels.tags }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      onClose()
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
        <LabelFields labels={labels} onChange={setLabels} />
        {save.isError && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
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
