import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../../lib/api.ts'
import { defineWords, useLanguage, useWords } from '../../../lib/language.ts'
import { CopyField } from '../../../ui/copy-field.tsx'
import { ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { type Proof, ProofFields } from '../../security/components/proof-fields.tsx'
import type { Role } from '../api/people.ts'
import { RoleSelect } from './role-select.tsx'

const words = defineWords(
  {
    title: 'Invite a person',
    email: 'Email',
    role: 'Role',
    invite: 'Invite',
    back: 'Back',
    mailed: (email: string) => `The invitation to ${email} is on its way.`,
    made: 'The invitation is ready',
    link: 'Link',
    linkHint: (email: string) =>
      `This service sends no mail. Give this link to ${email} yourself: it is shown only now, works once, and is valid for 7 days.`,
    done: 'Done'
  },
  {
    title: 'Inviter une personne',
    email: 'E-mail',
    role: 'Rôle',
    invite: 'Inviter',
    back: 'Retour',
    mailed: (email: string) => `L’invitation à ${email} est en route.`,
    made: 'L’invitation est prête',
    link: 'Lien',
    linkHint: (email: string) =>
      `Ce service n’envoie pas d’e-mails. Transmettez vous-même ce lien à ${email} : il n’est affiché que maintenant, fonctionne une fois et reste valable 7 jours.`,
    done: 'Terminé'
  }
)

export function InviteDialog({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const language = useLanguage()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('sender')
  const [proof, setProof] = useState<Proof>({})
  const invite = useMutation({
    meta: { isShown: true },
    mutationFn: () =>
      call('invitePerson', { body: { email: email.trim(), role, language, ...(role === 'owner' && proof) } }),
    onSuccess(made) {
      void queries.invalidateQueries({ queryKey: ['people'] })
      if (!made.is_mailed) return
      notifications.show({ color: 'green', message: say.mailed(made.email) })
      onClose()
    }
  })
  const link = invite.data?.link
  if (link) {
    return (
      <Modal opened onClose={onClose} title={say.made} {...ONLY_WHEN_KEPT}>
        <Stack>
          <Text>{say.linkHint(email)}</Text>
          <CopyField label={say.link} value={link} />
          <Button onClick={onClose}>{say.done}</Button>
        </Stack>
      </Modal>
    )
  }
  const fields = invite.error instanceof ApiError ? invite.error.fields : {}
  return (
    <Modal opened onClose={onClose} title={say.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!invite.isPending) invite.mutate()
        }}
      >
        <Stack>
          {invite.isError && (
            <Alert color="red" role="alert">
              {invite.error.message}
            </Alert>
          )}
          <TextInput
            label={say.email}
            type="email"
            required
            autoComplete="off"
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fields.email}
          />
          <RoleSelect label={say.role} value={role} onChange={setRole} hasHint />
          {role === 'owner' && <ProofFields proof={proof} onChange={setProof} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.back}
            </Button>
            <Button type="submit" loading={invite.isPending}>
              {say.invite}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
