import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { askFirst } from '../../../ui/ask-first.ts'
import { RotateSecret } from '../../security/components/rotate-secret.tsx'
import { bindsQuery, credentialsQuery, type SmppBind, type SmppCredential, type SmppServer } from '../api/smpp.ts'
import { NewPassword } from './new-password.tsx'

const words = defineWords(
  {
    bound: (count: number, max: number) => `${count} of ${max} binds`,
    inactive: 'Inactive',
    window: (count: number) => `window ${count}`,
    throughput: (count: number) => `${count} submits/s`,
    marketing: 'marketing',
    binary: 'binary data',
    last: (moment: string) => `last bind ${moment}`,
    never: 'never bound',
    since: (moment: string) => `since ${moment}`,
    unanswered: (count: number) => `${count} unanswered`,
    change: 'Change',
    rotate: 'Rotate',
    rotateTitle: 'Rotate this password?',
    rotateHint: 'A new password is made. The old one stops working at once, and its binds end.',
    remove: 'Delete',
    removeTitle: 'Delete these credentials?',
    removeHint: 'Their binds end at once.',
    back: 'Back'
  },
  {
    bound: (count: number, max: number) => `${count} bind${count > 1 ? 's' : ''} sur ${max}`,
    inactive: 'Inactifs',
    window: (count: number) => `fenêtre ${count}`,
    throughput: (count: number) => `${count} envois/s`,
    marketing: 'marketing',
    binary: 'données binaires',
    last: (moment: string) => `dernier bind le ${moment}`,
    never: 'jamais connectés',
    since: (moment: string) => `depuis le ${moment}`,
    unanswered: (count: number) => `${count} sans réponse`,
    change: 'Modifier',
    rotate: 'Renouveler',
    rotateTitle: 'Renouveler ce mot de passe ?',
    rotateHint: 'Un nouveau mot de passe est créé. L’ancien ne marche plus aussitôt, et ses binds prennent fin.',
    remove: 'Supprimer',
    removeTitle: 'Supprimer ces identifiants ?',
    removeHint: 'Leurs binds prennent fin aussitôt.',
    back: 'Retour'
  }
)

interface Given {
  credential: SmppCredential
  /** Those of these credentials. */
  binds: readonly SmppBind[]
  server: SmppServer
  me: Schemas['Me']
  onChange(): void
}

export function CredentialCard({ credential, binds, server, me, onChange }: Given) {
  const say = useWords(words)
  const formats = useFormats(me.time_zone)
  const queries = useQueryClient()
  const { id, system_id: systemId } = credential
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: credentialsQuery.queryKey })
    void queries.invalidateQueries({ queryKey: bindsQuery.queryKey })
  }
  const remove = useMutation({
    mutationFn: () => call('deleteSmppCredential', { path: { id } }),
    onSuccess: refresh
  })
  const askToRemove = () =>
    askFirst({
      title: say.removeTitle,
      children: say.removeHint,
      labels: { confirm: say.remove, cancel: say.back },
      onConfirm: () => remove.mutate()
    })
  const facts = [
    say.window(credential.window),
    credential.throughput !== null && say.throughput(credential.throughput),
    credential.category === 'marketing' && say.marketing,
    credential.binary && say.binary,
    credential.addresses.join(', '),
    binds.length === 0 && (credential.last_bound_at ? say.last(formats.moment(credential.last_bound_at)) : say.never)
  ].filter(Boolean)
  return (
    <Paper withBorder p="md" component="section" aria-label={systemId}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={6}>
          <Group gap="xs">
            <Text fw={600}>{credential.name}</Text>
            <Text ff="monospace" size="sm">
              {systemId}
            </Text>
            {credential.active ? (
              <Badge variant="default" tt="none">
                {say.bound(binds.length, credential.binds)}
              </Badge>
            ) : (
              <Badge variant="dot" color="orange" tt="none">
                {say.inactive}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
          {binds.map((bind) => (
            <Text key={bind.id} size="sm">
              {[
                bind.mode,
                bind.address,
                bind.encrypted && 'TLS',
                `SMPP ${bind.version}`,
                say.since(formats.moment(bind.bound_at)),
                bind.unanswered > 0 && say.unanswered(bind.unanswered)
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          ))}
        </Stack>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={onChange}>
            {say.change}
          </Button>
          <RotateSecret
            label={say.rotate}
            title={say.rotateTitle}
            hint={say.rotateHint}
            name={credential.name}
            rotate={(proof) => call('rotateSmppCredential', { path: { id }, body: proof })}
            onRotated={refresh}
            show={(fresh, onDone) => (
              <NewPassword credential={fresh} server={server} isSandbox={me.is_sandbox} onDone={onDone} />
            )}
          />
          <Button variant="default" size="xs" loading={remove.isPending} onClick={askToRemove}>
            {say.remove}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
