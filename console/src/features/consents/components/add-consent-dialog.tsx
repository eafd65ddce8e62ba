import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { defineWords, useWords } from '../../../lib/language.ts'
import { addConsent, CONSENTS } from '../api/consents.ts'

const words = defineWords(
  {
    title: 'Add a consent',
    phone: 'Phone number',
    notNumber: 'This is not a phone number.',
    source: 'Where the person agreed',
    form: 'A form',
    shop: 'In a shop',
    wording: 'The words that the person was shown',
    proof: 'Proof: a text or an address',
    cancel: 'Cancel',
    submit: 'Add',
    added: 'The consent is stored.',
    existing: 'This number already has a valid consent.'
  },
  {
    title: 'Ajouter un consentement',
    phone: 'Numéro de téléphone',
    notNumber: 'Ce n’est pas un numéro de téléphone.',
    source: 'Où la personne a accepté',
    form: 'Un formulaire',
    shop: 'En boutique',
    wording: 'Le texte présenté à la personne',
    proof: 'Preuve : un texte ou une adresse',
    cancel: 'Annuler',
    submit: 'Ajouter',
    added: 'Le consentement est enregistré.',
    existing: 'Ce numéro a déjà un consentement valable.'
  }
)

export function AddConsentDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const say = useWords(words)
  return (
    <Modal opened={isOpen} onClose={onClose} title={say.title}>
      <ConsentForm onClose={onClose} />
    </Modal>
  )
}

function ConsentForm({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const client = useQueryClient()
  const form = useForm({ initialValues: { recipient: '', source: 'form' as 'form' | 'shop', wording: '', proof: '' } })
  const add = useMutation({
    mutationFn: addConsent,
    meta: { isShown: true },
    async onSuccess({ added, invalid }) {
      if (invalid > 0) return form.setErrors({ recipient: say.notNumber })
      notifications.show({ message: added > 0 ? say.added : say.existing })
      await client.invalidateQueries({ queryKey: CONSENTS })
      onClose()
    },
    onError: (error) => form.setErrors({ recipient: error.message })
  })
  return (
    <form onSubmit={form.onSubmit((consent) => add.mutate(consent))} noValidate>
      <Stack>
        <TextInput
          label={say.phone}
          type="tel"
          maxLength={255}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('recipient')}
        />
        <Select
          label={say.source}
          allowDeselect={false}
          data={[
            { value: 'form', label: say.form },
            { value: 'shop', label: say.shop }
          ]}
          {...form.getInputProps('source')}
        />
        <Textarea label={say.wording} autosize minRows={2} maxLength={2_000} {...form.getInputProps('wording')} />
        <TextInput label={say.proof} maxLength={2_000} {...form.getInputProps('proof')} />
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
