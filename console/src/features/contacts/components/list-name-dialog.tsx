import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { type ContactList, createContactList, refreshLists, renameContactList } from '../api/contact-lists.ts'

const words = defineWords(
  {
    create: 'New list',
    rename: 'Rename the list',
    name: 'Name',
    required: 'Give it a name.',
    cancel: 'Cancel',
    submitCreate: 'Create',
    submitRename: 'Rename',
    created: (name: string) => `“${name}” was created.`,
    renamed: (name: string) => `The list is now called “${name}”.`
  },
  {
    create: 'Nouvelle liste',
    rename: 'Renommer la liste',
    name: 'Nom',
    required: 'Donnez-lui un nom.',
    cancel: 'Annuler',
    submitCreate: 'Créer',
    submitRename: 'Renommer',
    created: (name: string) => `« ${name} » a été créée.`,
    renamed: (name: string) => `La liste s’appelle maintenant « ${name} ».`
  }
)

interface Given {
  /** The list to rename; without it, a new list is made. */
  list?: ContactList | undefined
  isOpen: boolean
  onClose(): void
  onDone?(list: ContactList): void
}

export function ListNameDialog({ list, isOpen, onClose, onDone }: Given) {
  const say = useWords(words)
  return (
    <Modal opened={isOpen} onClose={onClose} title={list ? say.rename : say.create}>
      <NameForm list={list} onClose={onClose} onDone={onDone} />
    </Modal>
  )
}

function NameForm({ list, onClose, onDone }: Pick<Given, 'list' | 'onClose'> & { onDone: Given['onDone'] }) {
  const say = useWords(words)
  const client = useQueryClient()
  const form = useForm({
    initialValues: { name: list?.name ?? '' },
    validate: { name: (name) => (name.trim() === '' ? say.required : null) }
  })
  const save = useMutation({
    mutationFn: (name: string) => (list ? renameContactList({ id: list.id, name }) : createContactList(name)),
    meta: { isShown: true },
    async onSuccess(saved) {
      await refreshLists(client, saved.id)
      notifications.show({ message: list ? say.renamed(saved.name) : say.created(saved.name) })
      onClose()
      onDone?.(saved)
    },
    onError: (error) => form.setErrors({ name: (error instanceof ApiError && error.fields.name) || error.message })
  })
  return (
    <form onSubmit={form.onSubmit(({ name }) => save.mutate(name.trim()))} noValidate>
      <Stack>
        <TextInput label={say.name} required maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {list ? say.submitRename : say.submitCreate}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
