import { Alert, Button, Divider, Group, Modal, Paper, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { beginView } from '../../../lib/session.ts'
import { NewKeys, ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useMay } from '../../account/api/may.ts'
import { type Proof, ProofDialog } from '../../security/components/proof-dialog.tsx'
import { StandingBadge } from './account-columns.tsx'

const words = defineWords(
  {
    title: 'Account status',
    suspend: 'Suspend',
    resume: 'Resume',
    close: 'Close for good',
    suspendTitle: 'Suspend this account?',
    suspendHint:
      'Nobody can log in, keys are refused and nothing is sent. Scheduled messages wait until you resume the account.',
    closeTitle: 'Close this account?',
    closeHint:
      'This is final. Keys and sessions end, messages that are not sent yet are cancelled and refunded, and the credits of a sub-account return to you.',
    reason: 'Reason, which the account sees',
    back: 'Back',
    changed: 'The status is changed.',
    view: 'View as this account',
    viewHint: 'You see what the account sees, for an hour, and change nothing.',
    newKey: 'New first key',
    newKeyTitle: 'Make a new first key?',
    newKeyHint: 'The old first key ends at once. Other keys stay.',
    fresh: 'The new key is shown only now.',
    kept: 'I’ve saved it',
    note: 'Note, which the account does not see',
    save: 'Save note',
    saved: 'The note is saved.'
  },
  {
    title: 'Statut du compte',
    suspend: 'Suspendre',
    resume: 'Rétablir',
    close: 'Fermer définitivement',
    suspendTitle: 'Suspendre ce compte ?',
    suspendHint:
      'Plus aucune connexion, les clés sont refusées et rien n’est envoyé. Les envois programmés attendent le rétablissement.',
    closeTitle: 'Fermer ce compte ?',
    closeHint:
      'C’est définitif. Les clés et sessions prennent fin, les messages pas encore envoyés sont annulés et remboursés, et les crédits d’un sous-compte vous reviennent.',
    reason: 'Motif, visible par le compte',
    back: 'Retour',
    changed: 'Le statut est modifié.',
    view: 'Voir comme ce compte',
    viewHint: 'Vous voyez ce que voit le compte, pendant une heure, sans rien modifier.',
    newKey: 'Renouveler la première clé',
    newKeyTitle: 'Renouveler la première clé ?',
    newKeyHint: 'L’ancienne première clé s’arrête aussitôt. Les autres clés restent.',
    fresh: 'La nouvelle clé n’est affichée que maintenant.',
    kept: 'C’est noté',
    note: 'Note, invisible pour le compte',
    save: 'Enregistrer la note',
    saved: 'La note est enregistrée.'
  }
)

type Standing = Schemas['AccountRow']['standing']

interface Given {
  /** Whether it is run by the operator or by its parent. */
  by: 'operator' | 'parent'
  id: number
  account: Pick<Schemas['AccountRow'], 'standing' | 'standing_reason' | 'note'>
  /** The operator's own account can't be suspended or viewed. */
  isOwn?: boolean
}

const callsOf = (by: Given['by'], id: number) => {
  const path = { id }
  return by === 'operator'
    ? {
        stand: (body: { standing: Standing; reason?: string }) => call('changeAccountStanding', { path, body }),
        note: (note: string) => call('changeAccountNote', { path, body: { note } }),
        key: (body: Proof) => call('renewAccountKey', { path, body }),
        view: () => call('viewAccount', { path })
      }
    : {
        stand: (body: { standing: Standing; reason?: string }) => call('changeSubAccountStanding', { path, body }),
        note: (note: string) => call('changeSubAccountNote', { path, body: { note } }),
        key: (body: Proof) => call('renewSubAccountKey', { path, body }),
        view: () => call('viewSubAccount', { path })
      }
}

/** Suspending, closing and the other acts from above. */
export function AccountLife({ by, id, account, isOwn = false }: Given) {
  const say = useWords(words)
  const queries = useQueryClient()
  const calls = callsOf(by, id)
  const [wanted, setWanted] = useState<'suspended' | 'closed'>()
  const stand = useMutation({
    meta: { isShown: wanted !== undefined },
    mutationFn: calls.stand,
    onSuccess() {
      setWanted(undefined)
      notifications.show({ color: 'green', message: say.changed })
      for (const queryKey of [['accounts'], ['sub-accounts']]) void queries.invalidateQueries({ queryKey })
    }
  })
  const view = useMutation({ mutationFn: calls.view, onSuccess: beginView })
  const [isRenewing, setRenewing] = useState(false)
  const key = useMutation({ meta: { isShown: true }, mutationFn: calls.key, onSuccess: () => setRenewing(false) })
  const isClosed = account.standing === 'closed'
  const mayRun = useMay('account')
  const mayClose = useMay('people')
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say.title}
          </Title>
          <StandingBadge standing={account.standing} />
        </Group>
        {account.standing_reason !== '' && <Text size="sm">{account.standing_reason}</Text>}
        {mayRun && !isClosed && !isOwn && (
          <Group gap="xs">
            {account.standing === 'open' ? (
              <Button variant="default" onClick={() => setWanted('suspended')}>
                {say.suspend}
              </Button>
            ) : (
              <Button variant="default" loading={stand.isPending} onClick={() => stand.mutate({ standing: 'open' })}>
                {say.resume}
              </Button>
            )}
            {mayClose && (
              <Button variant="default" onClick={() => setRenewing(true)}>
                {say.newKey}
              </Button>
            )}
          </Group>
        )}
        {mayRun && !isOwn && (
          <div>
            <Button variant="default" loading={view.isPending} onClick={() => view.mutate()}>
              {say.view}
            </Button>
            <Text size="sm" c="dimmed" mt={4}>
              {say.viewHint}
            </Text>
          </div>
        )}
        {mayRun && <Note note={account.note} save={calls.note} />}
        {!mayRun && account.note !== '' && <Text size="sm">{account.note}</Text>}
        {/* Apart from the others: it can't be undone. */}
        {mayRun && mayClose && !isClosed && !isOwn && (
          <>
            <Divider />
            <div>
              <Button color="red" variant="light" onClick={() => setWanted('closed')}>
                {say.close}
              </Button>
            </div>
          </>
        )}
      </Stack>
      {wanted && (
        <StandingDialog
          standing={wanted}
          isPending={stand.isPending}
          error={stand.error}
          onConfirm={(reason) => stand.mutate({ standing: wanted, reason })}
          onClose={() => {
            setWanted(undefined)
            // The next dialog has no error yet.
            stand.reset()
          }}
        />
      )}
      <ProofDialog
        isOpen={isRenewing}
        title={say.newKeyTitle}
        hint={say.newKeyHint}
        label={say.newKey}
        onClose={() => setRenewing(false)}
        act={key.mutateAsync}
      />
      {key.data && (
        <Modal opened onClose={() => key.reset()} title={say.newKey} {...ONLY_WHEN_KEPT}>
          <NewKeys hint={say.fresh} keys={key.data} done={say.kept} onDone={() => key.reset()} />
        </Modal>
      )}
    </Paper>
  )
}

function StandingDialog({
  standing,
  isPending,
  error,
  onConfirm,
  onClose
}: {
  standing: 'suspended' | 'closed'
  isPending: boolean
  error: Error | null
  onConfirm(reason: string): void
  onClose(): void
}) {
  const say = useWords(words)
  const [reason, setReason] = useState('')
  const isClosing = standing === 'closed'
  return (
    <Modal opened onClose={onClose} title={isClosing ? say.closeTitle : say.suspendTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm(reason)
        }}
      >
        <Stack>
          <Alert color={isClosing ? 'red' : 'orange'}>{isClosing ? say.closeHint : say.suspendHint}</Alert>
          <TextInput
            label={say.reason}
            required
            maxLength={255}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {error && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" color={isClosing ? 'red' : 'orange'} loading={isPending}>
              {isClosing ? say.close : say.suspend}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Note({ note, save }: { note: string; save(note: string): Promise<unknown> }) {
  const say = useWords(words)
  const [text, setText] = useState(note)
  const saving = useMutation({
    mutationFn: save,
    onSuccess: () => notifications.show({ color: 'green', message: say.saved })
  })
  return (
    <Stack gap="xs">
      <Textarea
        label={say.note}
        autosize
        minRows={2}
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div>
        <Button variant="default" size="xs" loading={saving.isPending} onClick={() => saving.mutate(text)}>
          {say.save}
        </Button>
      </div>
    </Stack>
  )
}
