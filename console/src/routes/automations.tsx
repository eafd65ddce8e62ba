import { IconRepeat } from '@tabler/icons-react'
import { useMay } from '../features/account/api/may.ts'
import { AutomationsTable } from '../features/automations/components/automations-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { ListPage } from '../ui/list-page.tsx'

const words = defineWords(
  {
    title: 'Automations',
    about: 'Messages that are sent on a schedule, to the people who match at that time.',
    create: 'New automation',
    none: 'No automation yet',
    noneHint: 'For example: the news of the month to a list, or a welcome to new opt-ins.'
  },
  {
    title: 'Automatisations',
    about: 'Des messages envoyés à intervalles réguliers, aux contacts des listes et segments choisis.',
    create: 'Nouvelle automatisation',
    none: 'Aucune automatisation pour l’instant',
    noneHint: 'Par exemple : les nouvelles du mois à une liste, ou un mot de bienvenue aux nouveaux inscrits.'
  }
)

export function Automations() {
  const say = useWords(words)
  return (
    <ListPage
      words={say}
      icon={<IconRepeat size={28} aria-hidden />}
      newPath="/automations/new"
      mayCreate={useMay('send')}
      table={(empty) => <AutomationsTable empty={empty} />}
    />
  )
}
