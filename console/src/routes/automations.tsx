import { Button } from '@mantine/core'
import { IconPlus, IconRepeat } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { For } from '../features/account/components/for.tsx'
import { AutomationsTable } from '../features/automations/components/automations-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Automations',
    about: 'Messages that are sent again and again by a schedule, to the people who fit at that moment.',
    create: 'New automation',
    none: 'No automation yet',
    noneHint: 'Such as the news of the month to a list, or a welcome to everybody who has just opted in.'
  },
  {
    title: 'Automatisations',
    about: 'Des messages envoyés à intervalles réguliers, aux personnes qui correspondent à ce moment-là.',
    create: 'Nouvelle automatisation',
    none: 'Aucune automatisation pour l’instant',
    noneHint: 'Par exemple les nouvelles du mois à une liste, ou un mot de bienvenue aux nouveaux inscrits.'
  }
)

export function Automations() {
  const say = useWords(words)
  const navigate = useNavigate()
  const create = (
    <For permission="send">
      <Button
        leftSection={<IconPlus size={18} aria-hidden />}
        onClick={() => void navigate({ to: '/automations/$id', params: { id: 'new' } })}
      >
        {say.create}
      </Button>
    </For>
  )
  return (
    <Page title={say.title} about={say.about} actions={create}>
      <AutomationsTable
        empty={
          <EmptyState icon={<IconRepeat size={28} aria-hidden />} title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Page>
  )
}
