import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../lib/api.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { PlainFrame } from '../ui/plain-frame.tsx'

const words = defineWords(
  {
    title: 'Forgotten password',
    about: 'Enter your email. If it is known here, you get a link to choose a new password.',
    email: 'Email',
    ask: 'Send the link',
    sent: 'If this email is known here, a link is on its way. It works once, within one hour.',
    noMail: 'This service sends no mail. Ask its operator for a new password.',
    back: 'Back to the log-in'
  },
  {
    title: 'Mot de passe oublié',
    about: 'Saisissez votre e-mail. S’il est connu ici, vous recevrez un lien pour choisir un nouveau mot de passe.',
    email: 'E-mail',
    ask: 'Envoyer le lien',
    sent: 'Si cet e-mail est connu ici, un lien est en route. Il fonctionne une fois, pendant une heure.',
    noMail: 'Ce service n’envoie pas d’e-mails. Demandez un nouveau mot de passe à son exploitant.',
    back: 'Retour à la connexion'
  }
)

export function ForgotPassword() {
  const say = useWords(words)
  const language = useLanguage()
  const ask = useMutation({
    meta: { isShown: true },
    mutationFn: (email: string) => call('forgotPassword', { body: { email, language } })
  })
  const isWithoutMail = ask.error && 'code' in ask.error && ask.error.code === 'state_conflict'
  return (
    <PlainFrame
      title={say.title}
      below={
        <Anchor component={Link} to="/login" size="sm">
          {say.back}
        </Anchor>
      }
    >
      {ask.isSuccess ? (
        <Alert role="status">{say.sent}</Alert>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            ask.mutate(String(new FormData(event.currentTarget).get('email')))
          }}
        >
          <Stack>
            <Text c="dimmed">{say.about}</Text>
            {ask.isError && (
              <Alert color="red" role="alert">
                {isWithoutMail ? say.noMail : ask.error.message}
              </Alert>
            )}
            <TextInput label={say.email} name="email" type="email" autoComplete="username" required autoFocus />
            <Button type="submit" loading={ask.isPending}>
              {say.ask}
            </Button>
          </Stack>
        </form>
      )}
    </PlainFrame>
  )
}
