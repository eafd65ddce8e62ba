import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAddressBook, IconFileImport, IconPlus, IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { For } from '../features/account/components/for.tsx'
import { ImportDialog } from '../features/contacts/components/import-dialog.tsx'
import { ListNameDialog } from '../features/contacts/components/list-name-dialog.tsx'
import { ListsTable } from '../features/contacts/components/lists-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Contacts',
    about: 'Lists of the people you write to.',
    import: 'Import a file',
    create: 'New list',
    search: 'Search lists',
    none: 'No list yet',
    noneHint: 'Import a file of contacts, or make an empty list and add people by hand.',
    notFound: 'No list has this name',
    notFoundHint: 'Try another word, or a part of it.'
  },
  {
    title: 'Contacts',
    about: 'Les listes des personnes à qui vous écrivez.',
    import: 'Importer un fichier',
    create: 'Nouvelle liste',
    search: 'Rechercher une liste',
    none: 'Aucune liste pour l’instant',
    noneHint: 'Importez un fichier de contacts, ou créez une liste vide et ajoutez-y des personnes à la main.',
    notFound: 'Aucune liste ne porte ce nom',
    notFoundHint: 'Essayez un autre mot, ou une partie du mot.'
  }
)

export function Contacts() {
  const say = useWords(words)
  const navigate = useNavigate()
  const { search, ...field } = useSearch()
  const [isImporting, importing] = useDisclosure()
  const [isCreating, creating] = useDisclosure()
  const openList = (id: number) => void navigate({ to: '/contacts/$id', params: { id: String(id) } })
  const actions = (
    <For permission="contacts">
      <Button variant="default" leftSection={<IconFileImport size={18} aria-hidden />} onClick={importing.open}>
        {say.import}
      </Button>
      <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={creating.open}>
        {say.create}
      </Button>
    </For>
  )
  return (
    <Page title={say.title} about={say.about} actions={actions}>
      <SearchField label={say.search} {...field} />
      <ListsTable
        search={search}
        empty={
          search === '' ? (
            <EmptyState
              icon={<IconAddressBook size={28} aria-hidden />}
              title={say.none}
              action={<Group justify="center">{actions}</Group>}
            >
              {say.noneHint}
            </EmptyState>
          ) : (
            <EmptyState icon={<IconSearch size={28} aria-hidden />} title={say.notFound}>
              {say.notFoundHint}
            </EmptyState>
          )
        }
      />
      <ImportDialog isOpen={isImporting} onClose={importing.close} onOpenList={openList} />
      <ListNameDialog isOpen={isCreating} onClose={creating.close} onDone={({ id }) => openList(id)} />
    </Page>
  )
}
