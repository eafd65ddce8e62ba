import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheckbox, IconFileImport, IconPlus } from '@tabler/icons-react'
import { For } from '../features/account/components/for.tsx'
import { importConsents } from '../features/consents/api/consents.ts'
import { AddConsentDialog } from '../features/consents/components/add-consent-dialog.tsx'
import { ConsentsTable } from '../features/consents/components/consents-table.tsx'
import { KeywordsCard } from '../features/consents/components/keywords-card.tsx'
import { download } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { ExportButton } from '../ui/export-button.tsx'
import { ImportNumbersDialog } from '../ui/import-numbers-dialog.tsx'
import { Page } from '../ui/page.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Consents',
    about: 'People who agreed to your marketing, with the date and the wording. Withdrawn consents are kept as proof.',
    import: 'Import a file',
    add: 'Add a consent',
    search: 'Search by number',
    none: 'No consent yet',
    noneHint: 'Add one, import a file with the columns number, date, source, wording and proof, or set a keyword.',
    importTitle: 'Import consents',
    hint: 'Columns are recognised by their titles: number, date, source, wording, proof. A row without a date is left out.',
    storing: 'The consents are being stored …'
  },
  {
    title: 'Consentements',
    about:
      'Les personnes qui ont accepté vos messages marketing, avec la date et le texte. Les consentements retirés sont gardés comme preuve.',
    import: 'Importer un fichier',
    add: 'Ajouter un consentement',
    search: 'Rechercher un numéro',
    none: 'Aucun consentement pour l’instant',
    noneHint:
      'Ajoutez-en un, importez un fichier avec les colonnes téléphone, date, origine, texte et preuve, ou créez un mot-clé.',
    importTitle: 'Importer des consentements',
    hint: 'Les colonnes sont reconnues à leurs titres : téléphone, date, origine, texte, preuve. Une ligne sans date est écartée.',
    storing: 'Enregistrement des consentements…'
  }
)

const SEARCH_LENGTH_MAX = 40

export function Consents() {
  const say = useWords(words)
  const { search, ...field } = useSearch()
  const [isImporting, importing] = useDisclosure()
  const [isAdding, adding] = useDisclosure()
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <>
          <ExportButton fetchFile={() => download('extractConsents')} name="consents.csv" />
          <For permission="contacts">
            <Button variant="default" leftSection={<IconFileImport size={18} aria-hidden />} onClick={importing.open}>
              {say.import}
            </Button>
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
              {say.add}
            </Button>
          </For>
        </>
      }
    >
      <Stack>
        <SearchField label={say.search} maxLength={SEARCH_LENGTH_MAX} {...field} />
        <ConsentsTable
          search={search}
          empty={
            <EmptyState icon={<IconCheckbox size={28} aria-hidden />} title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
        <KeywordsCard />
      </Stack>
      <ImportNumbersDialog
        title={say.importTitle}
        hint={say.hint}
        storing={say.storing}
        isOpen={isImporting}
        onClose={importing.close}
        queryKey={['consents']}
        upload={importConsents}
      />
      <AddConsentDialog isOpen={isAdding} onClose={adding.close} />
    </Page>
  )
}
