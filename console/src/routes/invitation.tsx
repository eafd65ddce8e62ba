import { Alert, Anchor, Button, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { roleWords } from '../features/people/words.ts'
import { call, type Schemas } from '../lib/api.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { takeLinkToken } from '../lib/link-token.ts'
import { readToken, switchSession } from '../lib/session.ts'
import { PlainFrame } from '../ui/plain-frame.tsx'
import { PageLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Invitation',
    to: (company: string, role: string) => `You are invited to join ${company} with the role ${role}.`,
    from: (inviter: string) => `By ${inviter}.`,
    chooses: 'Choose a password. You log in with it from now on.',
    gives: 'You have a password here already: enter it to join.',
    password: 'Password',
    passwordHint: '8 characters at least.',
    first: 'First name',
    last: 'Last name',
    email: 'Email',
    accept: 'Join',
    loggedIn: (email: string) => `You are logged in as ${email}.`,
    forgotten: 'Forgotten password?',
    none: 'This link is not complete. Open it from the mail once more, or ask for another invitation.',
    logIn: 'Log in'
  },
  {
    title: 'Invitation',
    to: (company: string, role: string) => `Vous êtes invité à rejoindre ${company}. Rôle : ${role}.`,
    from: (inviter: string) => `De la part de ${inviter}.`,
    chooses: 'Choisissez un mot de passe. Il servira à vous connecter.',
    gives: 'Vous avez déjà un mot de passe ici : saisissez-le pour rejoindre le compte.',
    password: 'Mot de passe',
    passwordHint: '8 caractères au moins.',
    first: 'Prénom',
    last: 'Nom',
    email: 'E-mail',
    accept: 'Rejoindre',
    loggedIn: (email: string) => `Vous êtes connecté en tant que ${email}.`,
    forgotten: 'Mot de passe oublié ?',
    none: 'Ce lien n’est pas complet. Ouvrez-le à nouveau depuis l’e-mail, ou demandez une autre invitation.',
    logIn: 'Se connecter'
  }
)

/** The page that a mailed invitation opens. */
export function InvitationPage() {
  const say = useWords(words)
  const [token] = useState(takeLinkToken)
  const { data, error, isError } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call('lookAtInvitation', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY
  })
  if (token !== '' && !data && !isError) return <PageLoading />
  return (
    <PlainFrame
      title={say.title}
      below={
        <Anchor component={Link} to="/login" size="sm">
          {say.logIn}
        </Anchor>
      }
    >
      {data ? (
        <Acceptance token={token} invitation={data} />
      ) : (
        <Alert color="red" role="alert">
          {error?.message ?? say.none}
        </Alert>
      )}
    </PlainFrame>
  )
}

function Acceptance({ token, invitation }: { token: string; invitation: Schemas['LookedInvitation'] }) {
  const say = useWords(words)
  const names = useWords(roleWords)
  const { social_reason: company, role, invited_by: inviter } = invitation
  return (
    <>
      <Text>
        {say.to(company, names[role])} {inviter && say.from(inviter)}
      </Text>
      {readToken() ? (
        <WhileLoggedIn token={token} invitation={invitation} />
      ) : (
        <ByPassword token={token} invitation={invitation} />
      )}
    </>
  )
}

/** Somebody who is logged in as the person just joins; somebody else proves to be the person. */
function WhileLoggedIn({ token, invitation }: { token: string; invitation: Schemas['LookedInvitation'] }) {
  const say = useWords(words)
  const me = useMe()
  const join = useMutation({
    meta: { isShown: true },
    mutationFn: async () => {
      const { account_id: id } = await call('joinAccount', { body: { token } })
      return call('switchAccount', { body: { account_id: id } })
    },
    onSuccess: (answer) => switchSession(answer, { isSamePerson: true })
  })
  if (!me) return null
  if (me.email.toLowerCase() !== invitation.email.toLowerCase()) {
    return <ByPassword token={token} invitation={invitation} />
  }
  return (
    <>
      <Text c="dimmed">{say.loggedIn(me.email)}</Text>
      {join.isError && (
        <Alert color="red" role="alert">
          {join.error.message}
        </Alert>
      )}
      <Button loading={join.isPending} onClick={() => join.mutate()}>
        {say.accept}
      </Button>
    </>
  )
}

function ByPassword({ token, invitation }: { token: string; invitation: Schemas['LookedInvitation'] }) {
  const say = useWords(words)
  const language = useLanguage()
  const navigate = useNavigate()
  const { email, is_known: isKnown } = invitation
  const accept = useMutation({
    meta: { isShown: true },
    mutationFn: async (typed: { password: string; firstName?: string; lastName?: string }) => {
      const joined = await call('acceptInvitation', { body: { token, language, ...typed } })
      const body = { email, password: typed.password, account_id: joined.account_id }
      // Joining has worked: a log-in that needs more goes on at the log-in page.
      return call('login', { body }).catch(() => undefined)
    },
    onSuccess(answer) {
      if (answer) switchSession(answer, { isSamePerson: false })
      else void navigate({ to: '/login' })
    }
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const typed = new FormData(event.currentTarget)
        const text = (name: string) => String(typed.get(name) ?? '')
        const given = isKnown ? {} : { firstName: text('firstName'), lastName: text('lastName') }
        accept.mutate({ password: text('password'), ...given })
      }}
    >
      <Stack>
        <Text c="dimmed">{isKnown ? say.gives : say.chooses}</Text>
        {accept.isError && (
          <Alert color="red" role="alert">
            {accept.error.message}
          </Alert>
        )}
        <TextInput label={say.email} name="email" type="email" autoComplete="username" value={email} readOnly />
        {!isKnown && (
          <SimpleGrid cols={2}>
            <TextInput label={say.first} name="firstName" autoComplete="given-name" maxLength={255} />
            <TextInput label={say.last} name="lastName" autoComplete="family-name" maxLength={255} />
          </SimpleGrid>
        )}
        <PasswordInput
          label={say.password}
          name="password"
          required
          {...(isKnown
            ? { autoComplete: 'current-password' }
            : { autoComplete: 'new-password', minLength: 8, maxLength: 128, description: say.passwordHint })}
        />
        <Button type="submit" loading={accept.isPending}>
          {say.accept}
        </Button>
        {isKnown && (
          <Anchor component={Link} to="/forgot-password" size="sm">
            {say.forgotten}
          </Anchor>
        )}
      </Stack>
    </form>
  )
}
