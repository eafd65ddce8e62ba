import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError, call, type Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { useMe } from '../../account/api/me.ts'
import { hasPasskeys, makePasskey } from '../api/passkey.ts'
import { ProofDialog } from './proof-dialog.tsx'

const words = defineWords(
  {
    title: 'Passkeys',
    hint: 'A passkey is in your computer, phone or security key. It is used with a fingerprint, your face or a PIN.',
    none: 'This browser has no passkeys at this address: they need https and a host name.',
    add: 'Add a passkey',
    name: 'Name',
    nameHint: 'To tell it from others, such as Laptop.',
    added: (when: string) => `added ${when}`,
    used: (when: string) => `last used ${when}`,
    remove: 'Remove',
    removeNamed: (name: string) => `Remove ${name}`,
    removeTitle: 'Remove the passkey',
    removeHint: (name: string) => `${name} no longer logs you in.`,
    failed: 'The browser made no passkey. Try again.'
  },
  {
    title: 'Clés d’accès',
    hint: 'Une clé d’accès se trouve dans votre ordinateur, votre téléphone ou une clé de sécurité. Elle s’utilise avec une empreinte, votre visage ou un code PIN.',
    none: 'Ce navigateur n’a pas de clés d’accès à cette adresse : il faut https et un nom de domaine.',
    add: 'Ajouter une clé d’accès',
    name: 'Nom',
    nameHint: 'Pour la distinguer des autres, comme Ordinateur.',
    added: (when: string) => `ajoutée le ${when}`,
    used: (when: string) => `utilisée le ${when}`,
    remove: 'Retirer',
    removeNamed: (name: string) => `Retirer ${name}`,
    removeTitle: 'Retirer la clé d’accès',
    removeHint: (name: string) => `${name} ne permettra plus de vous connecter.`,
    failed: 'Le navigateur n’a pas créé de clé d’accès. Réessayez.'
  }
)

interface Given {
  passkeys: Schemas['Passkey'][]
  onChanged(recoveryCodes: string[]): void
}

export function PasskeysCard({ passkeys, onChanged }: Given) {
  const say = useWords(words)
  const formats = useFormats(useMe()?.time_zone)
  const [isAdding, setAdding] = useState(false)
  const [name, setName] = useState('')
  const [removed, setRemoved] = useState<Schemas['Passkey']>()
  const isPossible = hasPasskeys()
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {say.title}
        </Title>
        <Text>{say.hint}</Text>
        {passkeys.map((passkey) => (
          <Group key={passkey.id} justify="space-between" w="100%" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <IconFingerprint size={20} aria-hidden />
              <div>
                <Text fw={600}>{passkey.name}</Text>
                <Text size="sm" c="dimmed">
                  {passkey.last_used_at
                    ? say.used(formats.moment(passkey.last_used_at))
                    : say.added(formats.moment(passkey.created_at))}
                </Text>
              </div>
            </Group>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={say.removeNamed(passkey.name)}
              onClick={() => setRemoved(passkey)}
            >
              {say.remove}
            </Button>
          </Group>
        ))}
        {isPossible ? <Button onClick={() => setAdding(true)}>{say.add}</Button> : <Text c="dimmed">{say.none}</Text>}
      </Stack>
      <ProofDialog
        isOpen={isAdding}
        title={say.add}
        hint={say.hint}
        label={say.add}
        onClose={() => setAdding(false)}
        act={async (proof) => {
          const { recovery_codes: codes } = await makePasskey(name, proof).catch((error) => {
            // The browser's own words say little, and are not in the language of the page.
            throw error instanceof ApiError ? error : new Error(say.failed)
          })
          setAdding(false)
          setName('')
          onChanged(codes)
        }}
      >
        <TextInput
          label={say.name}
          description={say.nameHint}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </ProofDialog>
      <ProofDialog
        isOpen={removed !== undefined}
        title={say.removeTitle}
        hint={say.removeHint(removed?.name ?? '')}
        label={say.remove}
        isDanger
        onClose={() => setRemoved(undefined)}
        act={async (body) => {
          await call('removePasskey', { path: { passkey_id: removed?.id ?? 0 }, body })
          setRemoved(undefined)
          onChanged([])
        }}
      />
    </Paper>
  )
}
