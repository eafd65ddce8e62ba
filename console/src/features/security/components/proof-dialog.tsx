import { Alert, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'

const words = defineWords(
  {
    password: 'Current password',
    code: 'Code',
    codeHint: 'In place of the password: a code of your app, or a recovery code.',
    useCode: 'Use a code instead',
    usePassword: 'Use the password instead',
    back: 'Back'
  },
  {
    password: 'Mot de passe actuel',
    code: 'Code',
    codeHint: 'À la place du mot de passe : un code de votre application, ou un code de secours.',
    useCode: 'Utiliser un code',
    usePassword: 'Utiliser le mot de passe',
    back: 'Retour'
  }
)

export type Proof = { current_password?: string; code?: string }

interface Given {
  title: string
  hint: string
  label: string
  isOpen: boolean
  isDanger?: boolean
  /** Fields of the act itself. */
  children?: ReactNode
  onClose(): void
  act(proof: Proof): Promise<unknown>
}

/** Asks for the password, or a code: an unlocked tab alone must not change the second factor. */
export function ProofDialog({ isOpen, title, onClose, ...given }: Given) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <ProofForm {...given} onClose={onClose} />
    </Modal>
  )
}

function ProofForm({ hint, label, isDanger, children, onClose, act }: Omit<Given, 'isOpen' | 'title'>) {
  const say = useWords(words)
  const [isByCode, setByCode] = useState(false)
  const [typed, setTyped] = useState('')
  const work = useMutation({
    meta: { isShown: true },
    mutationFn: () => act(isByCode ? { code: typed } : { current_password: typed })
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!work.isPending) work.mutate()
  }
  const field = { required: true, value: typed, 'data-autofocus': true }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{hint}</Text>
        {children}
        {isByCode ? (
          <TextInput
            {...field}
            label={say.code}
            description={say.codeHint}
            autoComplete="one-time-code"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        ) : (
          <PasswordInput
            {...field}
            label={say.password}
            autoComplete="current-password"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {work.error && (
          <Alert color="red" role="alert">
            {work.error.message}
          </Alert>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            setByCode(!isByCode)
            setTyped('')
          }}
        >
          {isByCode ? say.usePassword : say.useCode}
        </Button>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.back}
          </Button>
          <Button type="submit" loading={work.isPending} {...(isDanger && { color: 'red' })}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
