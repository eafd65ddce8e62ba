import { Badge, Button, Group, Modal, Paper, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { CopyField } from '../../../ui/copy-field.tsx'
import { ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'
import { useMay } from '../../account/api/may.ts'
import { roleWords } from '../../people/words.ts'
import { type Proof, ProofDialog } from '../../security/components/proof-dialog.tsx'

const words = defineWords(
  {
    title: 'People of this account',
    factor: 'Second factor',
    reset: 'Reset password',
    resetOf: (email: string) => `Reset password: ${email}`,
    resetHint: (email: string) =>
      `${email} gets a link to choose a new password. It works once, within one hour. All sessions of the person then end. Confirm with your own password.`,
    remove: 'Remove second factor',
    removeOf: (email: string) => `Remove second factor: ${email}`,
    removeHint: (email: string) =>
      `For a person who has lost the phone and the recovery codes. ${email} then logs in with the password alone, and is told by mail if this service sends mail. Confirm with your own password.`,
    mailed: (email: string) => `The link for ${email} is on its way.`,
    removed: 'The second factor is removed.',
    link: 'Link',
    linkHint: (email: string) =>
      `This service sends no mail. Give this link to ${email} yourself: it is shown only now, works once, and is valid for one hour.`,
    done: 'Done'
  },
  {
    title: 'Personnes de ce compte',
    factor: 'Second facteur',
    reset: 'Réinitialiser le mot de passe',
    resetOf: (email: string) => `Réinitialiser le mot de passe : ${email}`,
    resetHint: (email: string) =>
      `${email} reçoit un lien pour choisir un nouveau mot de passe. Il fonctionne une fois, pendant une heure. Toutes les sessions de la personne prennent alors fin. Confirmez avec votre propre mot de passe.`,
    remove: 'Supprimer le second facteur',
    removeOf: (email: string) => `Supprimer le second facteur : ${email}`,
    removeHint: (email: string) =>
      `Pour une personne qui a perdu son téléphone et ses codes de secours. ${email} se connecte ensuite avec le mot de passe seul, et en est averti par e-mail si ce service en envoie. Confirmez avec votre propre mot de passe.`,
    mailed: (email: string) => `Le lien pour ${email} est en route.`,
    removed: 'Le second facteur est supprimé.',
    link: 'Lien',
    linkHint: (email: string) =>
      `Ce service n’envoie pas d’e-mails. Transmettez vous-même ce lien à ${email} : il n’est affiché que maintenant, fonctionne une fois et reste valable une heure.`,
    done: 'Terminé'
  }
)

type Person = Schemas['Person']

const callsOf = (by: 'operator' | 'parent', id: number) =>
  by === 'operator'
    ? {
        list: () => call('listAccountPeople', { path: { id } }),
        reset: (person: number, body: Proof) => call('resetAccountPassword', { path: { id, person_id: person }, body }),
        remove: (person: number, body: Proof) => call('removeAccountFactor', { path: { id, person_id: person }, body })
      }
    : {
        list: () => call('listSubAccountPeople', { path: { id } }),
        reset: (person: number, body: Proof) =>
          call('resetSubAccountPassword', { path: { id, person_id: person }, body }),
        remove: (person: number, body: Proof) =>
          call('removeSubAccountFactor', { path: { id, person_id: person }, body })
      }

/** The people of an account, as whoever manages it from above helps them back in. */
export function AccountPeople({ by, id, isClosed }: { by: 'operator' | 'parent'; id: number; isClosed: boolean }) {
  const say = useWords(words)
  const names = useWords(roleWords)
  const queries = useQueryClient()
  const calls = callsOf(by, id)
  const mayChange = useMay('people')
  const [asked, setAsked] = useState<{ act: 'reset' | 'remove'; person: Person }>()
  const [shown, setShown] = useState<{ email: string; link: string }>()
  const queryKey = ['account-people', by, id]
  const { data } = useQuery({ queryKey, queryFn: calls.list, enabled: mayChange })
  if (!mayChange || !data || data.length === 0) return null

  async function reset({ id: person, email }: Person, proof: Proof) {
    const { link } = await calls.reset(person, proof)
    setAsked(undefined)
    if (link) setShown({ email, link })
    else notifications.show({ color: 'green', message: say.mailed(email) })
  }
  async function remove({ id: person }: Person, proof: Proof) {
    await calls.remove(person, proof)
    setAsked(undefined)
    notifications.show({ color: 'green', message: say.removed })
    await queries.invalidateQueries({ queryKey })
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Title order={2} size="h4" mb="xs">
        {say.title}
      </Title>
      <Stack gap="md">
        {data.map((person) => (
          <div key={person.id}>
            <Group gap="xs" mb={6}>
              <Text size="sm" fw={600} className="cut">
                {person.email}
              </Text>
              <Badge variant="default" tt="none">
                {names[person.role]}
              </Badge>
              {person.second_factor && (
                <Badge variant="light" tt="none">
                  {say.factor}
                </Badge>
              )}
            </Group>
            {!isClosed && (
              <Group gap="xs">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={say.resetOf(person.email)}
                  onClick={() => setAsked({ act: 'reset', person })}
                >
                  {say.reset}
                </Button>
                {person.second_factor && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={say.removeOf(person.email)}
                    onClick={() => setAsked({ act: 'remove', person })}
                  >
                    {say.remove}
                  </Button>
                )}
              </Group>
            )}
          </div>
        ))}
      </Stack>
      {asked && (
        <ProofDialog
          isOpen
          isDanger={asked.act === 'remove'}
          title={say[asked.act]}
          hint={asked.act === 'reset' ? say.resetHint(asked.person.email) : say.removeHint(asked.person.email)}
          label={say[asked.act]}
          onClose={() => setAsked(undefined)}
          act={(proof) => (asked.act === 'reset' ? reset(asked.person, proof) : remove(asked.person, proof))}
        />
      )}
      {shown && (
        <Modal opened onClose={() => setShown(undefined)} title={say.reset} {...ONLY_WHEN_KEPT}>
          <Stack>
            <Text>{say.linkHint(shown.email)}</Text>
            <CopyField label={say.link} value={shown.link} />
            <Button onClick={() => setShown(undefined)}>{say.done}</Button>
          </Stack>
        </Modal>
      )}
    </Paper>
  )
}
