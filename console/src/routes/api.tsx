import { Button, Code, CopyButton, Group, Modal, Paper, PasswordInput, Stack, Tabs, Text, Title } from '@mantine/core'
import { IconBook, IconCheck, IconCopy, IconKey } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMe } from '../features/account/api/me.ts'
import { For } from '../features/account/components/for.tsx'
import { ApiError, call, type Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { NewKeys, ONLY_WHEN_KEPT } from '../ui/new-keys.tsx'
import { Page } from '../ui/page.tsx'
import { TabRow } from '../ui/tab-row.tsx'

const words = defineWords(
  {
    title: 'API',
    about: 'Everything this console does, your program can do too.',
    reference: 'Read and try the reference',
    key: 'Key',
    keyHint:
      'Programs log in with a key. It is stored as a hash: nobody can show it again, but you can make a new one.',
    rotate: 'Rotate key',
    rotateTitle: 'Rotate the key?',
    rotateHint: 'The old key ends at once: programs that use it are refused until they have the new one.',
    password: 'Current password',
    wrong: 'The password is wrong.',
    back: 'Back',
    fresh: 'Your new key',
    freshHint: 'The key is shown only now.',
    done: 'I’ve saved it',
    examples: 'Examples',
    send: 'Send an SMS',
    rcs: 'Send an RCS',
    credits: 'Credits',
    follow: 'Follow a message',
    events: 'Receive events',
    placeholder: 'Put your key in place of YOUR_KEY.',
    yourKey: 'YOUR_KEY',
    copy: 'Copy',
    copied: 'Copied',
    hello: 'Hello from Chappe'
  },
  {
    title: 'API',
    about: 'Tout ce que fait cette console, votre programme peut le faire aussi.',
    reference: 'Lire et essayer la référence',
    key: 'Clé',
    keyHint:
      'Un programme s’identifie par une clé. Elle est stockée hachée : personne ne peut la revoir, mais vous pouvez en créer une nouvelle.',
    rotate: 'Renouveler la clé',
    rotateTitle: 'Renouveler la clé ?',
    rotateHint:
      'L’ancienne clé s’arrête aussitôt : les programmes qui l’utilisent sont refusés tant qu’ils n’ont pas la nouvelle.',
    password: 'Mot de passe actuel',
    wrong: 'Le mot de passe est faux.',
    back: 'Retour',
    fresh: 'Votre nouvelle clé',
    freshHint: 'La clé n’est affichée que maintenant.',
    done: 'C’est noté',
    examples: 'Exemples',
    send: 'Envoyer un SMS',
    rcs: 'Envoyer un RCS',
    credits: 'Crédits',
    follow: 'Suivre un message',
    events: 'Recevoir les événements',
    placeholder: 'Mettez votre clé à la place de VOTRE_CLE.',
    yourKey: 'VOTRE_CLE',
    copy: 'Copier',
    copied: 'Copié',
    hello: 'Bonjour de Chappe'
  }
)

type Keys = { appId: string; apikey: string }

export function ApiPage() {
  const say = useWords(words)
  const me = useMe()
  const [keys, setKeys] = useState<Keys>()
  const [isAsking, setAsking] = useState(false)
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <Button
          component="a"
          href="/docs"
          target="_blank"
          variant="default"
          leftSection={<IconBook size={18} aria-hidden />}
        >
          {say.reference}
        </Button>
      }
    >
      <Paper withBorder p="md" component="section" aria-label={say.key}>
        <Stack gap="sm" align="flex-start">
          <Title order={2} size="h4">
            {say.key}
          </Title>
          <Text>{say.keyHint}</Text>
          <For permission="people">
            <Button variant="light" leftSection={<IconKey size={18} aria-hidden />} onClick={() => setAsking(true)}>
              {say.rotate}
            </Button>
          </For>
        </Stack>
      </Paper>
      <Paper withBorder p="md" component="section" aria-label={say.examples}>
        <Title order={2} size="h4" mb="sm">
          {say.examples}
        </Title>
        {me && <Examples me={me} apiKey={keys?.apikey ?? say.yourKey} />}
        {!keys && (
          <Text size="sm" c="dimmed" mt="sm">
            {say.placeholder}
          </Text>
        )}
      </Paper>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={say.rotateTitle}>
        <Rotation
          onBack={() => setAsking(false)}
          onRotated={(made) => {
            setAsking(false)
            setKeys(made)
          }}
        />
      </Modal>
      <NewKey keys={keys} />
    </Page>
  )
}

/** A key opens the whole account, so a new key needs the password: an unlocked tab alone is not enough. */
function Rotation({ onBack, onRotated }: { onBack(): void; onRotated(keys: Keys): void }) {
  const say = useWords(words)
  const [password, setPassword] = useState('')
  const rotate = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('rotateApiKey', { body: { current_password: password } }),
    onSuccess: onRotated
  })
  const { error } = rotate
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!rotate.isPending) rotate.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{say.rotateHint}</Text>
        <PasswordInput
          label={say.password}
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={error && (error instanceof ApiError && error.fields.current_password ? say.wrong : error.message)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onBack}>
            {say.back}
          </Button>
          <Button type="submit" color="red" loading={rotate.isPending}>
            {say.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function NewKey({ keys }: { keys: Keys | undefined }) {
  const say = useWords(words)
  const [kept, setKept] = useState<Keys>()
  return (
    <Modal
      opened={keys !== undefined && keys !== kept}
      onClose={() => setKept(keys)}
      title={say.fresh}
      {...ONLY_WHEN_KEPT}
    >
      {keys && <NewKeys hint={say.freshHint} keys={keys} done={say.done} onDone={() => setKept(keys)} />}
    </Modal>
  )
}

function Examples({ me, apiKey }: { me: Schemas['Me']; apiKey: string }) {
  const say = useWords(words)
  const examples = examplesOf({
    apiKey,
    phone: me.phone_number || '+33639980005',
    sender: me.settings.sender,
    hello: say.hello
  })
  return (
    <Tabs defaultValue="send" keepMounted={false}>
      <TabRow>
        {(Object.keys(examples) as (keyof typeof examples)[]).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {say[name]}
          </Tabs.Tab>
        ))}
      </TabRow>
      {(Object.entries(examples) as [keyof typeof examples, string][]).map(([name, text]) => (
        <Tabs.Panel key={name} value={name}>
          {/* Its lines are whole: one that breaks within -H 'X-API-KEY: …' is hard to read. */}
          <Code block tabIndex={0}>
            {text}
          </Code>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Group mt="xs">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                  onClick={copy}
                >
                  {copied ? say.copied : say.copy}
                </Button>
              </Group>
            )}
          </CopyButton>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function examplesOf({
  apiKey,
  phone,
  sender,
  hello
}: {
  apiKey: string
  phone: string
  sender: string
  hello: string
}) {
  const base = location.origin
  const head = `\\\n  -H 'X-API-KEY: ${apiKey}'`
  const json = `${head} \\\n  -H 'content-type: application/json'`
  const from = sender === '' ? '' : `, "sender": "${sender}"`
  return {
    send: `curl ${base}/messages/sms ${json} \\\n  -d '{"recipients": ["${phone}"], "content": "${hello}"${from}}'`,
    rcs: `curl ${base}/messages/rcs ${json} \\\n  -d '{"contacts": [{"recipient": "${phone}"}], "type": "card",\n       "data": {"title": "${hello}", "choices": [{"type": "text", "text": "OK"}]},\n       "fallback": {"content": "${hello}"}}'`,
    follow: `curl '${base}/messages?limit=5' ${head}`,
    credits: `curl ${base}/users/credits ${head}`,
    events: `curl -N '${base}/events/stream' ${head}`
  }
}
