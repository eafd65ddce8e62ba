import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { createPortal } from 'react-dom'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Problem } from '../../../ui/problem.tsx'
import { readDraft } from '../api/drafts.ts'
import type { Draft } from '../draft.ts'
import { fromSaved } from '../message-form.ts'
import type { SaveState, useSavedDraft } from '../saved-draft.ts'
import classes from './saved-note.module.css'

const words = defineWords(
  {
    states: {
      unsaved: '',
      saving: 'Saving the draft…',
      saved: 'Saved as a draft.',
      failed: 'The draft is not saved.',
      changed: 'This draft was changed in another window.',
      gone: 'This draft was sent or deleted in another window.'
    } satisfies Record<SaveState, string>,
    theirs: 'Show the other version',
    mine: 'Keep mine as a new draft'
  },
  {
    states: {
      unsaved: '',
      saving: 'Enregistrement du brouillon…',
      saved: 'Brouillon enregistré.',
      failed: 'Le brouillon n’est pas enregistré.',
      changed: 'Ce brouillon a été modifié dans une autre fenêtre.',
      gone: 'Ce brouillon a été envoyé ou supprimé dans une autre fenêtre.'
    },
    theirs: 'Afficher l’autre version',
    mine: 'Garder la mienne comme nouveau brouillon'
  }
)

/** In the head of the page, where the note moves nothing. It is there before its text, or screen readers do not tell it. */
export function SavedNoteRoom({ onRoom }: { onRoom(room: HTMLElement | null): void }) {
  return <Text ref={onRoom} size="sm" c="dimmed" role="status" className={classes.room} />
}

/** Whether the draft is saved; and the choice, when somebody else changed or removed it. */
export function SavedNote({
  saving,
  room,
  onTheirs
}: {
  saving: ReturnType<typeof useSavedDraft>
  room: HTMLElement | null
  onTheirs(draft: Draft): void
}) {
  const say = useWords(words)
  const { state } = saving
  const theirs = useMutation({
    meta: { isShown: true },
    mutationFn: readDraft,
    onSuccess(draft) {
      saving.take({ id: draft.id, version: draft.version })
      onTheirs(fromSaved(draft))
    }
  })
  if (state !== 'changed' && state !== 'gone') {
    return (
      <>
        {room && createPortal(say.states[state], room)}
        {state === 'failed' && <Problem error={saving.problem as Error} />}
      </>
    )
  }
  const id = saving.saved?.id
  return (
    <Alert color="orange" role="alert">
      <Text>{say.states[state]}</Text>
      <Group gap="xs" mt="xs">
        {state === 'changed' && id !== undefined && (
          <Button size="compact-sm" loading={theirs.isPending} onClick={() => theirs.mutate(id)}>
            {say.theirs}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => saving.keepMine()}>
          {say.mine}
        </Button>
      </Group>
      {theirs.isError && <Problem error={theirs.error} />}
    </Alert>
  )
}
