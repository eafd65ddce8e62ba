import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useId } from 'react'
import { useFormats } from '../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { saveFile, toCsv } from '../lib/save-file.ts'
import { DataTable } from './data-table.tsx'
import { pageOf } from './page-of.ts'

const words = defineWords(
  {
    title: 'Rows left out',
    line: 'Line',
    value: 'Value',
    reason: 'Reason',
    save: 'Download as CSV',
    first: (shown: string, all: string) => `The first ${shown} of ${all}.`,
    fileName: 'rows-left-out.csv',
    repeated: 'repeated',
    tooLong: (field: string) => `${field} is longer than 1000 characters`,
    noNumber: 'no number',
    notNumber: 'not a phone number'
  },
  {
    title: 'Lignes écartées',
    line: 'Ligne',
    value: 'Valeur',
    reason: 'Motif',
    save: 'Télécharger en CSV',
    first: (shown: string, all: string) => `Les ${shown} premières sur ${all}.`,
    fileName: 'lignes-ecartees.csv',
    repeated: 'en double',
    tooLong: (field: string) => `${field} dépasse 1000 caractères`,
    noNumber: 'pas de numéro',
    notNumber: 'numéro invalide'
  }
)

export interface LeftOutRow {
  line: number
  value: string
  reason: string
}

/** The rows of a file that were left out, with reasons; to read, and to save. */
export function LeftOutRows({ rows, total }: { rows: LeftOutRow[]; total: number }) {
  const say = useWords(words)
  const formats = useFormats()
  const language = useLanguage()
  const key = useId()
  const because = reasonsIn(say)
  function save() {
    const table = rows.map(({ line, value, reason }) => [String(line), value, because(reason)])
    // The byte order mark tells spreadsheets that this is UTF-8.
    const csv = `\uFEFF${toCsv([[say.line, say.value, say.reason], ...table])}`
    saveFile(new Blob([csv], { type: 'text/csv' }), say.fileName)
  }
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {say.title}
        </Title>
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
          {say.save}
        </Button>
      </Group>
      <DataTable
        label={say.title}
        queryKey={['left out', key, language]}
        fetchPage={async (page) => pageOf(rows, page)}
        rowKey={({ line }) => line}
        rowHeight={40}
        height={240}
        columns={[
          {
            key: 'line',
            title: say.line,
            width: '76px',
            align: 'right',
            cell: ({ line }) => <span className="digits">{formats.number(line)}</span>
          },
          { key: 'value', title: say.value, width: '1fr', cell: ({ value }) => value || '–' },
          { key: 'reason', title: say.reason, width: '1.2fr', cell: ({ reason }) => because(reason) }
        ]}
        empty={null}
      />
      {rows.length < total && (
        <Text size="sm" c="dimmed">
          {say.first(formats.number(rows.length), formats.number(total))}
        </Text>
      )}
    </Stack>
  )
}

/** The service gives reasons in English; known reasons are translated. */
function reasonsIn(say: (typeof words)['en']): (reason: string) => string {
  return (reason) => {
    if (reason === 'repeated') return say.repeated
    if (reason === 'no number') return say.noNumber
    if (reason === 'not a phone number') return say.notNumber
    const tooLong = /^(\w+) is longer than 1000 characters$/.exec(reason)
    return tooLong?.[1] ? say.tooLong(tooLong[1]) : reason
  }
}
