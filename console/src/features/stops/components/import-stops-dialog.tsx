import { defineWords, useWords } from '../../../lib/language.ts'
import { ImportNumbersDialog } from '../../../ui/import-numbers-dialog.tsx'
import { importStops } from '../api/import-stops.ts'

const words = defineWords(
  {
    title: 'Import STOPs',
    hint: 'Every number of the file is opted out. The column of numbers is recognised by its title or its content.',
    storing: 'The STOPs are being stored …'
  },
  {
    title: 'Importer des STOP',
    hint: 'Chaque numéro du fichier est désinscrit. La colonne des numéros est reconnue à son titre ou à son contenu.',
    storing: 'Enregistrement des STOP…'
  }
)

export function ImportStopsDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const say = useWords(words)
  return <ImportNumbersDialog {...say} isOpen={isOpen} onClose={onClose} queryKey={['stops']} upload={importStops} />
}
