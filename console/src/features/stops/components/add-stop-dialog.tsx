import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api.ts'
import { formatPhone } from '../../../lib/format-phone.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { addStop } from '../api/stops.ts'

const words = defineWords(
  {
    title: 'Add a STOP',
    what: 'From now on, none of your messages is sent to this number.',
    phone: 'Phone number',
    required: 'Give a number.',
    notNumber: 'This is not a phone number.',
    cancel: 'Cancel',
    submit: 'Add',
    done: (phone: string) => `${phone} is opted out.`
  },
  {
    title: 'Ajouter un STOP',
    what: 'Désormais, aucun de vos messages n’est envoyé à ce numéro.',
    phone: 'Numéro de téléphone',
    required: 'Indiquez un numéro.',
    notNumber: 'Ce n’est pas un numéro de téléphone.',
    cancel: 'Annuler',
    submit: 'Ajouter',
    done: (phone: string) => `${phone} est désinscrit.`
  }
)

interface Given {
  isOpen: boolean
  onClose(): void
}

export function AddStopDialog({ isOpen, onClose }: Given) {
  const say = useWords(words)
  return (
    <Modal opened={isOpen} onClose={onClose} title={say.title}>
      <StopForm onClose={onClose} />
    </Modal>
  )
}

function StopForm({ onClose }: Pick<Given, 'onClose'>) {
  const say = useWords(words)
  const client = useQueryClient()
  const form = useForm({
    initialValues: { recipient: '' },
    validate: { recipient: (text) => (text.trim() === '' ? say.required : null) }
  })
  const add = useMutation({
    mutationFn: addStop,
    meta: { isShown: true },
    async onSuccess({ recipient }) {
      notifications.show({ message: say.done(formatPhone(recipient)) })
      await client.invalidateQueries({ queryKey: ['stops'] })
      onClose()
    },
    onError(error) {
      const isNoNumber = error instanceof ApiError && error.fields.recipient !== undefined
      form.setErrors({ recipient: isNoNumber ? say.notNumber : error.message })
    }
  })
  return (
    <form onSubmit={form.onSubmit(({ recipient }) => add.mutate(recipient))} noValidate>
      <Stack>
        <Text>{say.what}</Text>
        <TextInput
          label={say.phone}
          type="tel"
          required
          maxLength={255}
          autoComplete="off"
          placeholder="06 39 98 00 01"
          data-autofocus
          {...form.getInputProps('recipient')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {say.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
