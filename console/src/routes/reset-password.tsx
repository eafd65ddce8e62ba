import { Alert, Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { takeLinkToken } from '../lib/link-token.ts'
import { PlainFrame } from '../ui/plain-frame.tsx'

const words = defineWords(
  {
    title: 'New password',
    about: 'Choose a new password. You will be logged out on all devices.',
    password: 'New password',
    hint: '8 characters at least.',
    save: 'Change the password',
    done: 'Your password is changed. Log in with it.',
    refused: 'This link was used already or is too old.',
    none: 'This link is not complete. Open it from the mail once more.',
    again: 'Ask for another link',
    logIn: 'Log in'
  },
  {
    title: 'Nouveau mot de passe',
    about: 'Choisissez un nouveau mot de passe. Vous serez déconnecté de tous vos appareils.',
    password: 'Nouveau mot de passe',
    hint: '8 caractères au moins.',
    save: 'Changer le mot de passe',
    done: 'Votre mot de passe est modifié. Connectez-vous avec.',
    refused: 'Ce lien a déjà servi ou est trop ancien.',
    none: 'Ce lien n’est pas complet. Ouvrez-le à nouveau depuis l’e-mail.',
    again: 'Demander un autre lien',
    logIn: 'Se connecter'
  }
)

/** The page that a mailed link to choose a password opens. */
export function ResetPassword() {
  const say = useWords(words)
  const [token] = useState(takeLinkToken)
  const reset = useMutation({
    meta: { isShown: true },
    mutationFn: (password: string) => call('resetPassword', { body: { token, password } })
  })
  const isUsed = reset.error && 'code' in reset.error && reset.error.code === 'state_conflict'
  const again = (
    <Anchor component={Link} to="/forgot-password" size="sm">
      {say.again}
    </Anchor>
  )
  const logIn = (
    <Anchor component={Link} to="/login" size="sm">
      {say.logIn}
    </Anchor>
  )
  return (
    <PlainFrame title={say.title} below={reset.isSuccess ? logIn : again}>
      {token === '' && (
        <Alert color="red" role="alert">
          {say.none}
        </Alert>
      )}
      {reset.isSuccess && <Alert role="status">{say.done}</Alert>}
      {token !== '' && !reset.isSuccess && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            reset.mutate(String(new FormData(event.currentTarget).get('password')))
          }}
        >
          <Stack>
            <Text c="dimmed">{say.about}</Text>
            {reset.isError && (
              <Alert color="red" role="alert">
                {isUsed ? say.refused : reset.error.message}
              </Alert>
            )}
            <PasswordInput
              label={say.password}
              description={say.hint}
              name="password"
              autoComplete="new-password"
              required
              minLength={8}
              maxLength={128}
              autoFocus
            />
            <Button type="submit" loading={reset.isPending}>
              {say.save}
            </Button>
          </Stack>
        </form>
      )}
    </PlainFrame>
  )
}
