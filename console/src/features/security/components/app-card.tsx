import { Alert, Badge, Button, Group, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { CopyField } from '../../../ui/copy-field.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { QrCode } from './qr-code.tsx'

const words = defineWords(
  {
    title: 'Authenticator app',
    hint: 'An app on your phone shows a new code every 30 seconds. Log-ins then ask for it.',
    on: 'On',
    off: 'Off',
    begin: 'Set up an app',
    beginHint: 'You need an authenticator app on your phone, such as Aegis, Google Authenticator or 1Password.',
    next: 'Continue',
    scan: 'Scan this code with the app, then type the six digits that it shows.',
    qr: 'QR code for the authenticator app',
    secret: 'Or type this secret into the app',
    code: 'Code of the app',
    confirm: 'Confirm',
    remove: 'Remove the app',
    removeHint: 'Log-ins no longer ask for a code of the app.'
  },
  {
    title: 'Application d’authentification',
    hint: 'Une application de votre téléphone affiche un nouveau code toutes les 30 secondes. La connexion le demande ensuite.',
    on: 'Activée',
    off: 'Désactivée',
    begin: 'Configurer une application',
    beginHint:
      'Il vous faut une application d’authentification sur votre téléphone, comme Aegis, Google Authenticator ou 1Password.',
    next: 'Continuer',
    scan: 'Scannez ce code avec l’application, puis saisissez les six chiffres qu’elle affiche.',
    qr: 'QR code pour l’application d’authentification',
    secret: 'Ou saisissez ce secret dans l’application',
    code: 'Code de l’application',
    confirm: 'Confirmer',
    remove: 'Retirer l’application',
    removeHint: 'La connexion ne demandera plus de code de l’application.'
  }
)

interface Given {
  isOn: boolean
  onChanged(recoveryCodes: string[]): void
}

export function AppCard({ isOn, onChanged }: Given) {
  const say = useWords(words)
  const [open, setOpen] = useState<'begin' | 'remove'>()
  const [secret, setSecret] = useState<Schemas['TotpSecret']>()
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack gap="sm" align="flex-start">
        <Group>
          <Title order={2} size="h4">
            {say.title}
          </Title>
          <Badge variant="filled" color={isOn ? 'teal.9' : 'gray.7'} tt="none">
            {isOn ? say.on : say.off}
          </Badge>
        </Group>
        <Text>{say.hint}</Text>
        <Button variant={isOn ? 'default' : 'filled'} onClick={() => setOpen(isOn ? 'remove' : 'begin')}>
          {isOn ? say.remove : say.begin}
        </Button>
      </Stack>
      <ProofDialog
        isOpen={open === 'begin'}
        title={say.begin}
        hint={say.beginHint}
        label={say.next}
        onClose={() => setOpen(undefined)}
        act={async (body) => {
          setSecret(await call('beginTotp', { body }))
          setOpen(undefined)
        }}
      />
      <ProofDialog
        isOpen={open === 'remove'}
        title={say.remove}
        hint={say.removeHint}
        label={say.remove}
        isDanger
        onClose={() => setOpen(undefined)}
        act={async (body) => {
          await call('removeTotp', { body })
          setOpen(undefined)
          onChanged([])
        }}
      />
      <Modal opened={secret !== undefined} onClose={() => setSecret(undefined)} title={say.begin}>
        {secret && (
          <Confirmation
            secret={secret}
            onDone={(codes) => {
              setSecret(undefined)
              onChanged(codes)
            }}
          />
        )}
      </Modal>
    </Paper>
  )
}

function Confirmation({ secret, onDone }: { secret: Schemas['TotpSecret']; onDone(codes: string[]): void }) {
  const say = useWords(words)
  const [code, setCode] = useState('')
  const confirm = useMutation({
    meta: { isShown: true },
    mutationFn: () => call('confirmTotp', { body: { code } }),
    onSuccess: (answer) => onDone(answer.recovery_codes)
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!confirm.isPending) confirm.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{say.scan}</Text>
        <Group justify="center">
          <QrCode text={secret.uri} label={say.qr} />
        </Group>
        <CopyField label={say.secret} value={secret.secret} />
        <TextInput
          label={say.code}
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {confirm.error && (
          <Alert color="red" role="alert">
            {confirm.error.message}
          </Alert>
        )}
        <Button type="submit" loading={confirm.isPending}>
          {say.confirm}
        </Button>
      </Stack>
    </form>
  )
}
