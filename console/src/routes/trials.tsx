import { Button } from '@mantine/core'
import { IconArrowsSplit2, IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { For } from '../features/account/components/for.tsx'
import { TrialsTable } from '../features/trials/components/trials-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'A/B trials',
    about: 'Try several texts on a part of your audience. The rest gets the best one.',
    create: 'New trial',
    none: 'No trial yet',
    noneHint: 'For example: two texts for 20 % of a list, and the one with more clicks for everybody else.'
  },
  {
    title: 'Essais A/B',
    about: 'Essayez plusieurs textes sur une partie des destinataires. Le reste reçoit le meilleur.',
    create: 'Nouvel essai',
    none: 'Aucun essai pour l’instant',
    noneHint: 'Par exemple : deux textes pour 20 % d’une liste, et celui qui a le plus de clics pour les autres.'
  }
)

export function Trials() {
  const say = useWords(words)
  const navigate = useNavigate()
  const create = (
    <For permission="send">
      <Button
        leftSection={<IconPlus size={18} aria-hidden />}
        onClick={() => void navigate({ to: '/trials/$id', params: { id: 'new' } })}
      >
        {say.create}
      </Button>
    </For>
  )
  return (
    <Page title={say.title} about={say.about} actions={create}>
      <TrialsTable
        empty={
          <EmptyState icon={<IconArrowsSplit2 size={28} aria-hidden />} title={say.none} action={create}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Page>
  )
}
