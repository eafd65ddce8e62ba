import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useId } from 'react'
import { useFormats } from '../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { useSentences } from '../lib/refusals.ts'
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
    duplicate: 'duplicate'
  },
  {
    title: 'Lignes écartées',
    line: 'Ligne',
    value: 'Valeur',
    reason: 'Motif',
    save: 'Télécharger en CSV',
    first: (shown: string, all: string) => `Les ${shown} premières sur ${all}.`,
    fileName: 'lignes-ecartees.csv',
    duplicate: 'en double'
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
  const translate = useSentences()
  const because = (reason: string) => (reason === 'repeated' ? say.duplicate : translate(reason))
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
            width: '60px',
            align: 'right',
            cell: ({ line }) => <span className="digits">{formats.number(line)}</span>
          },
          { key: 'value', title: say.value, width: 'minmax(112px, 1fr)', cell: ({ value }) => value || '–' },
          { key: 'reason', title: say.reason, width: 'minmax(0, 1.2fr)', cell: ({ reason }) => because(reason) }
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
