import { IconArrowsSplit2 } from '@tabler/icons-react'
import { useMay } from '../features/account/api/may.ts'
import { TrialsTable } from '../features/trials/components/trials-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { ListPage } from '../ui/list-page.tsx'

const words = defineWords(
  {
    title: 'A/B trials',
    about: 'Try several texts on a part of your audience. The rest gets the best one.',
    create: 'New trial',
    none: 'No trial yet',
    noneHint: 'For example: two texts for 20 % of a list, and the one with more clicks for everybody else.'
  },
  {
    title: 'Tests A/B',
    about: 'Essayez plusieurs textes sur une partie des destinataires. Le reste reçoit le meilleur.',
    create: 'Nouveau test',
    none: 'Aucun test pour l’instant',
    noneHint: 'Par exemple : deux textes pour 20 % d’une liste, et celui qui a le plus de clics pour les autres.'
  }
)

export function Trials() {
  const say = useWords(words)
  return (
    <ListPage
      words={say}
      icon={<IconArrowsSplit2 size={28} aria-hidden />}
      newPath="/trials/new"
      mayCreate={useMay('send')}
      table={(empty) => <TrialsTable empty={empty} />}
    />
  )
}
