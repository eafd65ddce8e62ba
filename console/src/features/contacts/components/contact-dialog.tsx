import { Button, Group, Modal, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Unfolding } from '../../../ui/unfolding.tsx'
import { refreshLists } from '../api/contact-lists.ts'
import { addContact, type Contact, type ContactValues, updateContact } from '../api/contacts.ts'
import { type ContactField, CUSTOM_FIELDS, fieldWords, PERSON_FIELDS } from '../fields.ts'

const words = defineWords(
  {
    add: 'Add a contact',
    edit: 'Edit the contact',
    telHint: 'National or international: 06 39 98 00 01, +33 6 39 98 00 01',
    required: 'A contact needs a number.',
    notNumber: 'This is not a phone number.',
    taken: 'The list already has a contact with this number.',
    custom: 'Custom fields',
    cancel: 'Cancel',
    submitAdd: 'Add',
    submitEdit: 'Save',
    added: 'The contact was added.',
    updated: 'This number was already in the list: your details were added to it.',
    saved: 'The contact was saved.'
  },
  {
    add: 'Ajouter un contact',
    edit: 'Modifier le contact',
    telHint: 'National ou international : 06 39 98 00 01, +33 6 39 98 00 01',
    required: 'Un contact a besoin d’un numéro.',
    notNumber: 'Ce n’est pas un numéro de téléphone.',
    taken: 'La liste a déjà un contact avec ce numéro.',
    custom: 'Champs personnalisés',
    cancel: 'Annuler',
    submitAdd: 'Ajouter',
    submitEdit: 'Enregistrer',
    added: 'Le contact a été ajouté.',
    updated: 'Ce numéro était déjà dans la liste : vos informations y ont été ajoutées.',
    saved: 'Le contact a été enregistré.'
  }
)

interface Given {
  listId: number
  /** The contact to change; `new` adds one, undefined closes the dialog. */
  contact: Contact | 'new' | undefined
  onClose(): void
}

export function ContactDialog({ listId, contact, onClose }: Given) {
  const say = useWords(words)
  return (
    <Modal
      opened={contact !== undefined}
      onClose={onClose}
      size="lg"
      title={contact === 'new' || !contact ? say.add : say.edit}
    >
      {contact && <ContactForm listId={listId} contact={contact === 'new' ? undefined : contact} onClose={onClose} />}
    </Modal>
  )
}

function ContactForm({ listId, contact, onClose }: Given & { contact: Contact | undefined }) {
  const say = useWords(words)
  const client = useQueryClient()
  const form = useForm<ContactValues>({
    initialValues: valuesOf(contact),
    validate: { tel: (tel) => (tel.trim() === '' ? say.required : null) }
  })
  const save = useMutation({
    mutationFn: (values: ContactValues) => saveContact({ listId, contact, values }),
    meta: { isShown: true },
    async onSuccess(outcome) {
      if (outcome === 'invalid') return form.setErrors({ tel: say.notNumber })
      notifications.show({ message: say[outcome] })
      await refreshLists(client, listId)
      onClose()
    },
    onError(error) {
      if (!(error instanceof ApiError)) return
      if (error.status === 409) form.setErrors({ tel: say.taken })
      else if (error.fields.tel) form.setErrors({ ...error.fields, tel: say.notNumber })
    }
  })
  const isSaidAtField = Object.keys(form.errors).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        {save.isError && !isSaidAtField && <Problem error={save.error} />}
        <Fields form={form} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {contact ? say.submitEdit : say.submitAdd}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Inputs = Pick<UseFormReturnType<ContactValues>, 'getInputProps' | 'getInitialValues'>

function Fields({ form }: { form: Inputs }) {
  const say = useWords(words)
  const labels = useWords(fieldWords)
  const hasCustom = CUSTOM_FIELDS.some((field) => form.getInitialValues()[field] !== '')
  const input = (field: ContactField) => (
    <TextInput key={field} label={labels[field]} maxLength={1000} autoComplete="off" {...form.getInputProps(field)} />
  )
  return (
    <>
      <TextInput
        label={labels.tel}
        description={say.telHint}
        type="tel"
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('tel')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>{PERSON_FIELDS.slice(1).map(input)}</SimpleGrid>
      <Unfolding label={say.custom} isOpen={hasCustom}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} pt="xs">
          {CUSTOM_FIELDS.map(input)}
        </SimpleGrid>
      </Unfolding>
    </>
  )
}

type Outcome = 'added' | 'updated' | 'saved' | 'invalid'

async function saveContact(given: {
  listId: number
  contact: Contact | undefined
  values: ContactValues
}): Promise<Outcome> {
  if (given.contact) {
    await updateContact(given.contact.id, given.values)
    return 'saved'
  }
  const { added, invalid } = await addContact(given.listId, given.values)
  if (invalid > 0) return 'invalid'
  return added > 0 ? 'added' : 'updated'
}

function valuesOf(contact: Contact | undefined): ContactValues {
  const entries = [...PERSON_FIELDS, ...CUSTOM_FIELDS].map((field) => [field, contact?.[field] ?? ''])
  return Object.fromEntries(entries) as ContactValues
}
