import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { defineWords, useWords } from '../../../lib/language.ts'

const words = defineWords(
  {
    password: 'Current password',
    code: 'Code',
    codeHint: 'In place of the password: a code of your app, or a recovery code.',
    useCode: 'Use a code instead',
    usePassword: 'Use the password instead'
  },
  {
    password: 'Mot de passe actuel',
    code: 'Code',
    codeHint: 'À la place du mot de passe : un code de votre application, ou un code de secours.',
    useCode: 'Utiliser un code',
    usePassword: 'Utiliser le mot de passe'
  }
)

export type Proof = { current_password?: string; code?: string }

interface Given {
  proof: Proof
  onChange(proof: Proof): void
  /** Whether the field gets the focus of its dialog. */
  isFirst?: boolean
}

/** The password, or a code. Not required here: a person who has neither, after a single sign-on, leaves it empty. */
export function ProofFields({ proof, onChange, isFirst = false }: Given) {
  const say = useWords(words)
  const [isByCode, setByCode] = useState(false)
  const focus = isFirst && { 'data-autofocus': true }
  const set = (name: keyof Proof, typed: string) => onChange(typed === '' ? {} : { [name]: typed })
  return (
    <Stack gap="xs">
      {isByCode ? (
        <TextInput
          {...focus}
          value={proof.code ?? ''}
          label={say.code}
          description={say.codeHint}
          autoComplete="one-time-code"
          onChange={(event) => set('code', event.currentTarget.value)}
        />
      ) : (
        <PasswordInput
          {...focus}
          value={proof.current_password ?? ''}
          label={say.password}
          autoComplete="current-password"
          onChange={(event) => set('current_password', event.currentTarget.value)}
        />
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => {
          setByCode(!isByCode)
          onChange({})
        }}
      >
        {isByCode ? say.usePassword : say.useCode}
      </Button>
    </Stack>
  )
}
