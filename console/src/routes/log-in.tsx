import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { askPasskey } from '../features/security/api/passkey.ts'
import { ApiError, call, type Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { isDressed } from '../lib/look.ts'
import { readEnding, startSession } from '../lib/session.ts'
import { readSignOn, type SignOnProblem } from '../lib/sign-on.ts'
import { PlainFrame } from '../ui/plain-frame.tsx'

const words = defineWords(
  {
    title: 'Log in',
    email: 'Email',
    password: 'Password',
    submit: 'Log in',
    wrong: 'Wrong email or password.',
    forgotten: 'Forgotten password?',
    hint: 'The first account’s password was printed when Chappe first started.',
    expired: 'Your session has ended. Log in to go on where you were.',
    factor: 'Second factor',
    code: 'Code',
    codeHint: 'Of your authenticator app, or a recovery code.',
    passkey: 'Use a passkey',
    passkeyFailed: 'The passkey was not used. Try again, or type a code.',
    or: 'or',
    signOn: (name: string) => `Log in with ${name}`,
    back: 'Back',
    connect: 'Connect your log-in',
    connectHint: 'Your email has a log-in here already. Type its password once to connect the two.',
    busy: 'Too many log-ins at once. Try again in a minute.',
    denied: 'The provider did not let you in.',
    old: 'This log-in took too long, or began in another browser. Try again.',
    failed: 'The log-in at the provider did not work. Try again, or tell the operator of this service.'
  },
  {
    title: 'Connexion',
    email: 'E-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    wrong: 'E-mail ou mot de passe incorrect.',
    forgotten: 'Mot de passe oublié ?',
    hint: 'Le mot de passe du premier compte a été affiché au premier démarrage de Chappe.',
    expired: 'Votre session est terminée. Reconnectez-vous pour reprendre où vous en étiez.',
    factor: 'Second facteur',
    code: 'Code',
    codeHint: 'De votre application d’authentification, ou un code de secours.',
    passkey: 'Utiliser une clé d’accès',
    passkeyFailed: 'La clé d’accès n’a pas servi. Réessayez, ou saisissez un code.',
    or: 'ou',
    signOn: (name: string) => `Se connecter avec ${name}`,
    back: 'Retour',
    connect: 'Relier votre connexion',
    connectHint: 'Votre e-mail a déjà un accès ici. Saisissez son mot de passe une fois pour relier les deux.',
    busy: 'Trop de connexions à la fois. Réessayez dans une minute.',
    denied: 'Le fournisseur ne vous a pas laissé entrer.',
    old: 'Cette connexion a pris trop de temps, ou a commencé dans un autre navigateur. Réessayez.',
    failed: 'La connexion chez le fournisseur n’a pas abouti. Réessayez, ou prévenez l’exploitant de ce service.'
  }
)

/** What has been typed so far: the steps of a log-in add to it. */
interface Attempt {
  email: string
  password?: string
  /** From single sign-on. */
  ticket?: string
  code?: string
  passkey?: Schemas['LoginUserDto']['passkey']
}

/** The password; then the second factor of those who have one. Single sign-on may ask for the password to connect. */
export function LogIn() {
  const say = useWords(words)
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/login' })
  // Read once: it takes the ticket out of the address.
  const [{ ticket, problem }] = useState(readSignOn)
  const [first, setFirst] = useState<Attempt>()
  const [factors, setFactors] = useState<string[]>([])
  const [isConnecting, setConnecting] = useState(false)
  const logIn = useMutation({
    mutationFn: ({ email, password = '', ticket, ...factor }: Attempt) =>
      ticket === undefined
        ? call('login', { body: { email, password, ...factor } })
        : call('openSignOnSession', { body: { ticket, ...(password !== '' && { password }), ...factor } }),
    meta: { isShown: true },
    onSuccess(answer) {
      startSession(answer)
      void navigate({ href: next ?? '/' })
    },
    onError(error, attempt) {
      if (!(error instanceof ApiError)) return
      if (error.code === 'second_factor_required') {
        setFirst(attempt)
        setFactors(error.factors)
      } else if (attempt.ticket !== undefined && error.fields.password !== undefined) setConnecting(true)
    }
  })
  const { mutate } = logIn
  useEffect(() => {
    if (ticket !== undefined) mutate({ email: '', ticket })
  }, [ticket, mutate])
  const isAtFactor = first !== undefined && factors.length > 0
  // The first refusal of a step only asks for that step.
  const isAsked =
    (logIn.variables?.code === undefined && logIn.variables?.passkey === undefined && isAtFactor) ||
    (isConnecting && logIn.variables?.password === undefined)
  return (
    <PlainFrame
      title={isAtFactor ? say.factor : isConnecting ? say.connect : say.title}
      tabTitle={say.title}
      below={
        !isAtFactor &&
        !isConnecting && (
          <Stack gap="xs">
            <Anchor component={Link} to="/forgot-password" size="sm">
              {say.forgotten}
            </Anchor>
            {!isDressed && (
              <Text c="dimmed" size="sm">
                {say.hint}
              </Text>
            )}
          </Stack>
        )
      }
    >
      {readEnding() === 'expired' && !logIn.isError && <Alert role="status">{say.expired}</Alert>}
      {logIn.isError && !isAsked && (
        <Alert color="red" role="alert">
          {isWrongPassword(logIn) ? say.wrong : logIn.error.message}
        </Alert>
      )}
      {problem && logIn.isIdle && (
        <Alert color="red" role="alert">
          {problemOf(problem, say)}
        </Alert>
      )}
      {isAtFactor ? (
        <FactorStep
          attempt={first}
          factors={factors}
          isPending={logIn.isPending}
          onAnswer={mutate}
          onBack={() => {
            setFirst(undefined)
            logIn.reset()
          }}
        />
      ) : (
        <PasswordStep
          isConnecting={isConnecting}
          isPending={logIn.isPending}
          onTyped={(typed) => mutate(isConnecting && ticket !== undefined ? { ...typed, ticket } : typed)}
        />
      )}
      {!isAtFactor && !isConnecting && <SignOnButton />}
    </PlainFrame>
  )
}

/** A second factor or a ticket that is refused has a sentence of its own. */
function isWrongPassword({ error, variables }: { error: Error; variables: Attempt | undefined }): boolean {
  const isOnlyPassword = !variables?.code && !variables?.passkey && variables?.ticket === undefined
  return isOnlyPassword && error instanceof ApiError && error.status === 401
}

const problemOf = (problem: SignOnProblem, say: ReturnType<typeof useWords<(typeof words)['en']>>) =>
  ({ busy: say.busy, denied: say.denied, expired: say.old, failed: say.failed })[problem]

function PasswordStep({
  isConnecting,
  isPending,
  onTyped
}: {
  isConnecting: boolean
  isPending: boolean
  onTyped(attempt: Attempt): void
}) {
  const say = useWords(words)
  // Uncontrolled fields: a form library would add to the first load.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    onTyped({ email: String(typed.get('email') ?? ''), password: String(typed.get('password')) })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {isConnecting ? (
          <Text>{say.connectHint}</Text>
        ) : (
          <TextInput label={say.email} name="email" type="email" autoComplete="username" required autoFocus />
        )}
        <PasswordInput label={say.password} name="password" autoComplete="current-password" required />
        <Button type="submit" loading={isPending}>
          {say.submit}
        </Button>
      </Stack>
    </form>
  )
}

function FactorStep({
  attempt,
  factors,
  isPending,
  onAnswer,
  onBack
}: {
  attempt: Attempt
  factors: string[]
  isPending: boolean
  onAnswer(attempt: Attempt): void
  onBack(): void
}) {
  const say = useWords(words)
  const { email, password = '', ticket } = attempt
  const start: Attempt = { email, password, ...(ticket !== undefined && { ticket }) }
  const usePasskey = useMutation({
    meta: { isShown: true },
    mutationFn: () => askPasskey({ email, password }),
    onSuccess: (passkey) => onAnswer({ ...start, passkey: passkey as never })
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    onAnswer({ ...start, code: String(new FormData(event.currentTarget).get('code')) })
  }
  // While single sign-on connects a person, the page does not know their email, which passkeys are asked by.
  const hasPasskey = factors.includes('passkey') && ticket === undefined
  return (
    <Stack>
      {hasPasskey && (
        <>
          {usePasskey.isError && (
            <Alert color="red" role="alert">
              {usePasskey.error instanceof ApiError ? usePasskey.error.message : say.passkeyFailed}
            </Alert>
          )}
          <Button loading={usePasskey.isPending} onClick={() => usePasskey.mutate()}>
            {say.passkey}
          </Button>
          <Divider label={say.or} />
        </>
      )}
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={say.code}
            description={say.codeHint}
            name="code"
            autoComplete="one-time-code"
            required
            autoFocus
          />
          <Button type="submit" loading={isPending} variant={hasPasskey ? 'default' : 'filled'}>
            {say.submit}
          </Button>
        </Stack>
      </form>
      <Button variant="subtle" onClick={onBack}>
        {say.back}
      </Button>
    </Stack>
  )
}

/** Only where the service has a provider. */
function SignOnButton() {
  const say = useWords(words)
  const { data } = useQuery({ queryKey: ['sign-on'], queryFn: () => call('readSignOn'), staleTime: 600_000 })
  if (!data?.name) return null
  return (
    <>
      <Divider label={say.or} />
      <Button component="a" href="/auth/oidc/start" variant="default">
        {say.signOn(data.name)}
      </Button>
    </>
  )
}
