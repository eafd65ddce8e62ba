import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBan, IconFileImport, IconPlus, IconSearch } from '@tabler/icons-react'
import { For } from '../features/account/components/for.tsx'
import { AddStopDialog } from '../features/stops/components/add-stop-dialog.tsx'
import { ImportStopsDialog } from '../features/stops/components/import-stops-dialog.tsx'
import { RatesTable } from '../features/stops/components/rates-table.tsx'
import { StopsTable } from '../features/stops/components/stops-table.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'STOPs',
    about: 'Numbers that opted out. Nothing is sent to them, whatever list they are in.',
    import: 'Import a file',
    add: 'Add a STOP',
    search: 'Search by number',
    none: 'No STOP yet',
    noneHint: 'A person who replies STOP to a message is added here automatically.',
    notFound: 'No STOP found for this number',
    notFoundHint: 'Search by any part of the number.'
  },
  {
    title: 'STOP',
    about: 'Les numéros désinscrits. Rien ne leur est envoyé, quelle que soit la liste.',
    import: 'Importer un fichier',
    add: 'Ajouter un STOP',
    search: 'Rechercher un numéro',
    none: 'Aucun STOP pour l’instant',
    noneHint: 'Une personne qui répond STOP à un message est ajoutée ici automatiquement.',
    notFound: 'Aucun STOP pour ce numéro',
    notFoundHint: 'Recherchez par n’importe quelle partie du numéro.'
  }
)

/** The longest search text that the service accepts. */
const SEARCH_LENGTH_MAX = 40

export function Stops() {
  const say = useWords(words)
  const { search, ...field } = useSearch()
  const [isImporting, importing] = useDisclosure()
  const [isAdding, adding] = useDisclosure()
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <For permission="contacts">
          <Button variant="default" leftSection={<IconFileImport size={18} aria-hidden />} onClick={importing.open}>
            {say.import}
          </Button>
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
            {say.add}
          </Button>
        </For>
      }
    >
      <SearchField label={say.search} maxLength={SEARCH_LENGTH_MAX} {...field} />
      <StopsTable
        search={search}
        empty={
          search === '' ? (
            <EmptyState icon={<IconBan size={28} aria-hidden />} title={say.none}>
              {say.noneHint}
            </EmptyState>
          ) : (
            <EmptyState icon={<IconSearch size={28} aria-hidden />} title={say.notFound}>
              {say.notFoundHint}
            </EmptyState>
          )
        }
      />
      <RatesTable />
      <ImportStopsDialog isOpen={isImporting} onClose={importing.close} />
      <AddStopDialog isOpen={isAdding} onClose={adding.close} />
    </Page>
  )
}
