import { Alert, Button, Center, Group, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { call } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { readEnding, startSession } from '../lib/session.ts'
import { AppearanceMenu } from '../ui/appearance-menu.tsx'
import { Brand } from '../ui/brand.tsx'

const words = defineWords(
  {
    title: 'Log in',
    email: 'Email',
    password: 'Password',
    submit: 'Log in',
    hint: 'The first account’s password was printed when Chappe first started.',
    expired: 'Your session has ended. Log in to go on where you were.'
  },
  {
    title: 'Connexion',
    email: 'E-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    hint: 'Le mot de passe du premier compte a été affiché au premier démarrage de Chappe.',
    expired: 'Votre session est terminée. Reconnectez-vous pour reprendre où vous en étiez.'
  }
)

export function LogIn() {
  const say = useWords(words)
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/login' })
  const logIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => call('login', { body }),
    meta: { isShown: true },
    onSuccess(answer) {
      startSession(answer)
      void navigate({ href: next ?? '/' })
    }
  })
  useEffect(() => {
    document.title = `${say.title} · Chappe`
  }, [say])
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group justify="space-between">
          <Brand />
          <AppearanceMenu />
        </Group>
        <Paper withBorder p="xl" shadow="sm">
          {/* Uncontrolled fields: a form library would add to the first load. */}
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const typed = new FormData(event.currentTarget)
              logIn.mutate({ email: String(typed.get('email')), password: String(typed.get('password')) })
            }}
          >
            <Stack>
              <Title order={1} size="h3">
                {say.title}
              </Title>
              {readEnding() === 'expired' && !logIn.isError && <Alert role="status">{say.expired}</Alert>}
              {logIn.isError && (
                <Alert color="red" role="alert">
                  {logIn.error.message}
                </Alert>
              )}
              <TextInput label={say.email} name="email" type="email" autoComplete="username" required autoFocus />
              <PasswordInput label={say.password} name="password" autoComplete="current-password" required />
              <Button type="submit" loading={logIn.isPending}>
                {say.submit}
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text c="dimmed" size="sm">
          {say.hint}
        </Text>
      </Stack>
    </Center>
  )
}
