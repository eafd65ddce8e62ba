import { Alert, Button, Group, Modal, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { NewKeys, ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { createSubAccount } from '../api/sub-accounts.ts'

const words = defineWords(
  {
    title: 'New sub-account',
    company: 'Company',
    first: 'First name',
    last: 'Last name',
    email: 'Email',
    phone: 'Phone',
    password: 'Password',
    passwordHint: '8 characters at least.',
    create: 'Create',
    back: 'Back',
    made: 'The sub-account was created',
    keys: 'Its key is shown only now. Hand it over with the password.',
    done: 'Done'
  },
  {
    title: 'Nouveau sous-compte',
    company: 'Société',
    first: 'Prénom',
    last: 'Nom',
    email: 'E-mail',
    phone: 'Téléphone',
    password: 'Mot de passe',
    passwordHint: '8 caractères au moins.',
    create: 'Créer',
    back: 'Retour',
    made: 'Le sous-compte est créé',
    keys: 'Sa clé n’est affichée que maintenant. Transmettez-la avec le mot de passe.',
    done: 'Terminé'
  }
)

export function CreateDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const queries = useQueryClient()
  const form = useForm<Required<Omit<Schemas['SubAccountCreateDto'], 'credits_mode'>>>({
    initialValues: { email: '', password: '', firstName: '', lastName: '', phoneNumber: '', social_reason: '' }
  })
  const create = useMutation({
    meta: { isShown: true },
    mutationFn: createSubAccount,
    onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sub-accounts'] })
  })
  if (create.data) {
    return (
      <Modal opened onClose={onClose} title={say.made} {...ONLY_WHEN_KEPT}>
        <NewKeys hint={say.keys} keys={create.data} done={say.done} onDone={onClose} />
      </Modal>
    )
  }
  return (
    <Modal opened onClose={onClose} title={say.title}>
      <form
        onSubmit={form.onSubmit((values) => {
          const { email, password, ...rest } = values
          const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''))
          create.mutate({ email, password, ...given })
        })}
      >
        <Stack>
          {create.isError && (
            <Alert color="red" role="alert">
              {create.error.message}
            </Alert>
          )}
          <TextInput label={say.company} autoComplete="off" data-autofocus {...form.getInputProps('social_reason')} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={say.first} autoComplete="off" {...form.getInputProps('firstName')} />
            <TextInput label={say.last} autoComplete="off" {...form.getInputProps('lastName')} />
          </SimpleGrid>
          <TextInput label={say.email} type="email" required autoComplete="off" {...form.getInputProps('email')} />
          <TextInput label={say.phone} type="tel" autoComplete="off" {...form.getInputProps('phoneNumber')} />
          <PasswordInput
            label={say.password}
            description={say.passwordHint}
            required
            minLength={8}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {say.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
