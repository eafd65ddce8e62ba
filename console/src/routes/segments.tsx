import { Button } from '@mantine/core'
import { IconFilter, IconPlus, IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { For } from '../features/account/components/for.tsx'
import { SegmentsTable } from '../features/segments/components/segments-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Segments',
    about: 'People by rules on their fields, lists and events. They are found again for each message.',
    create: 'New segment',
    search: 'Search segments',
    none: 'No segment yet',
    noneHint: 'For example: people of one list who are not in another.',
    notFound: 'No segment has this name',
    notFoundHint: 'Try another word, or a part of it.'
  },
  {
    title: 'Segments',
    about: 'Personnes choisies par des règles (champs, listes, événements), recherchées à chaque envoi.',
    create: 'Nouveau segment',
    search: 'Rechercher un segment',
    none: 'Aucun segment pour l’instant',
    noneHint: 'Par exemple : les personnes d’une liste qui ne sont pas dans une autre.',
    notFound: 'Aucun segment ne porte ce nom',
    notFoundHint: 'Essayez un autre mot, ou une partie du mot.'
  }
)

export function Segments() {
  const say = useWords(words)
  const navigate = useNavigate()
  const { search, ...field } = useSearch()
  const create = (
    <For permission="contacts">
      <Button
        leftSection={<IconPlus size={18} aria-hidden />}
        onClick={() => void navigate({ to: '/segments/$id', params: { id: 'new' } })}
      >
        {say.create}
      </Button>
    </For>
  )
  return (
    <Page title={say.title} about={say.about} actions={create}>
      <SearchField label={say.search} {...field} />
      <SegmentsTable
        search={search}
        empty={
          search === '' ? (
            <EmptyState icon={<IconFilter size={28} aria-hidden />} title={say.none} action={create}>
              {say.noneHint}
            </EmptyState>
          ) : (
            <EmptyState icon={<IconSearch size={28} aria-hidden />} title={say.notFound}>
              {say.notFoundHint}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
