import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, readLanguage, useLanguage, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { dryRunQuery } from '../api/dry-run.ts'
import type { Draft } from '../draft.ts'
import { EndNote } from './end-note.tsx'
import { MissingCredits } from './summary-card.tsx'

const words = defineWords(
  {
    now: 'Send now?',
    later: 'Schedule it?',
    send: 'Send',
    schedule: 'Schedule',
    person: 'recipient',
    people: 'recipients',
    credit: 'credit',
    credits: 'credits',
    takes: (people: string, credits: string) => `${people}, ${credits}.`,
    leavesAt: (moment: string) => `It leaves on ${moment}.`,
    counting: 'Being counted',
    back: 'Back'
  },
  {
    now: 'Envoyer maintenant ?',
    later: 'Programmer l’envoi ?',
    send: 'Envoyer',
    schedule: 'Programmer',
    person: 'destinataire',
    people: 'destinataires',
    credit: 'crédit',
    credits: 'crédits',
    takes: (people: string, credits: string) => `${people}, ${credits}.`,
    leavesAt: (moment: string) => `Départ le ${moment}.`,
    counting: 'Décompte en cours',
    back: 'Retour'
  }
)

interface Given {
  draft: Draft
  timeZone: string
  onConfirm(): void
}

/** Asks once more, with the figures of exactly this message: those beside the text may be older. */
export function openConfirmDialog(given: Given): void {
  const id = 'confirm send'
  const say = words[readLanguage()]
  modals.open({
    modalId: id,
    title: given.draft.scheduleAt ? say.later : say.now,
    children: <ConfirmDialog {...given} onClose={() => modals.close(id)} />
  })
}

function ConfirmDialog({ draft, timeZone, onConfirm, onClose }: Given & { onClose(): void }) {
  const say = useWords(words)
  const language = useLanguage()
  const formats = useFormats(timeZone)
  const { data: figures, error } = useQuery(dryRunQuery(draft))
  // The dialog stays while it fades out: a double click would confirm twice.
  const [isConfirmed, setConfirmed] = useState(false)
  const missing = figures?.credits_missing ?? 0
  return (
    <Stack>
      {error && <Problem error={error} />}
      {!error && !figures && <Skeleton height={24} role="status" aria-label={say.counting} />}
      {figures && (
        <Text>
          {say.takes(
            counted(language, figures.recipients_count, say.person, say.people),
            counted(language, figures.credits_required, say.credit, say.credits)
          )}
        </Text>
      )}
      {missing > 0 && <MissingCredits count={missing} />}
      {figures && <EndNote finishesAt={figures.finishes_at} deadline={draft.deadline} timeZone={timeZone} />}
      {draft.scheduleAt && <Text>{say.leavesAt(formats.moment(draft.scheduleAt))}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {say.back}
        </Button>
        <Button
          data-autofocus
          disabled={!figures || missing > 0 || isConfirmed}
          onClick={() => {
            setConfirmed(true)
            onConfirm()
            onClose()
          }}
        >
          {draft.scheduleAt ? say.schedule : say.send}
        </Button>
      </Group>
    </Stack>
  )
}
