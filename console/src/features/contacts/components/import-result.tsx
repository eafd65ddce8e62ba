import { Alert, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'
import { LeftOutRows } from '../../../ui/left-out-rows.tsx'
import type { Imported } from '../api/import-contacts.ts'

const words = defineWords(
  {
    done: 'The file was imported.',
    none: 'No row of this file could be imported.',
    added: 'Added',
    updated: 'Updated',
    duplicates: 'Duplicates in the file',
    invalid: 'Invalid',
    landlines: (count: number) => `${counted('en', count, 'number', 'numbers')} can’t receive SMS: not a mobile number.`
  },
  {
    done: 'Le fichier a été importé.',
    none: 'Aucune ligne de ce fichier n’a pu être importée.',
    added: 'Ajoutés',
    updated: 'Mis à jour',
    duplicates: 'En double dans le fichier',
    invalid: 'Invalides',
    landlines: (count: number) =>
      `${counted('fr', count, 'numéro non mobile ne peut', 'numéros non mobiles ne peuvent')} pas recevoir de SMS.`
  }
)

const COUNTS = ['added', 'updated', 'duplicates', 'invalid'] as const

export function ImportResult({ imported }: { imported: Imported }) {
  const say = useWords(words)
  const formats = useFormats()
  return (
    <Stack>
      <Text role="status">{imported.added + imported.updated > 0 ? say.done : say.none}</Text>
      <SimpleGrid cols={{ base: 2, xs: 4 }}>
        {COUNTS.map((count) => (
          <Paper key={count} withBorder p="sm">
            <Text size="xl" fw={650} className="digits">
              {formats.number(imported[count])}
            </Text>
            <Text size="sm" c="dimmed">
              {say[count]}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      {imported.not_mobile > 0 && (
        <Alert color="orange" variant="light" role="status">
          {say.landlines(imported.not_mobile)}
        </Alert>
      )}
      {imported.errors.length > 0 && (
        <LeftOutRows rows={imported.errors} total={imported.duplicates + imported.invalid} />
      )}
    </Stack>
  )
}
