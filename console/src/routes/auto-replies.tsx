import { IconMessageReply } from '@tabler/icons-react'
import { useMay } from '../features/account/api/may.ts'
import { AutoRepliesTable } from '../features/auto-replies/components/auto-replies-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { ListPage } from '../ui/list-page.tsx'

const words = defineWords(
  {
    title: 'Auto-replies',
    about: 'A person writes a keyword and gets the answer at once.',
    create: 'New auto-reply',
    none: 'No auto-reply yet',
    noneHint: 'For example: a person writes HOURS and gets the opening hours.'
  },
  {
    title: 'Réponses automatiques',
    about: 'Une personne écrit un mot-clé et reçoit aussitôt la réponse.',
    create: 'Nouvelle réponse automatique',
    none: 'Aucune réponse automatique pour l’instant',
    noneHint: 'Par exemple : une personne écrit HORAIRES et reçoit les heures d’ouverture.'
  }
)

export function AutoReplies() {
  const say = useWords(words)
  return (
    <ListPage
      words={say}
      icon={<IconMessageReply size={28} aria-hidden />}
      newPath="/auto-replies/new"
      mayCreate={useMay('send')}
      table={(empty) => <AutoRepliesTable empty={empty} />}
    />
  )
}
