import { Alert, Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'

const FILE_BYTES_MAX = 100 * 1024 * 1024

const words = defineWords(
  {
    drop: 'Drop a file here, or choose one',
    hint: 'CSV, TXT or XLSX, up to 100 MB',
    tooLarge: 'This file is larger than 100 MB. Split it and import the parts.',
    notTaken: 'This is no CSV, TXT or XLSX file.',
    several: 'One file at a time, please.'
  },
  {
    drop: 'Déposez un fichier ici, ou choisissez-le',
    hint: 'CSV, TXT ou XLSX, 100 Mo au plus',
    tooLarge: 'Ce fichier dépasse 100 Mo. Découpez-le et importez les parties.',
    notTaken: 'Ce n’est pas un fichier CSV, TXT ou XLSX.',
    several: 'Un seul fichier à la fois, s’il vous plaît.'
  }
)

type Problem = 'tooLarge' | 'notTaken' | 'several'
const PROBLEMS: Record<string, Problem> = { 'file-too-large': 'tooLarge', 'too-many-files': 'several' }

/** By their names too: what a CSV file is said to be differs from one system to the next. */
const ACCEPTED = {
  'text/csv': ['.csv'],
  'text/plain': ['.txt'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx']
}

interface Given {
  onFile(file: File): void
  /** The one that was chosen, where it stays. */
  file?: File | null
  hint?: string
}

/** Where a table of people is dropped or chosen. */
export function FileDrop({ onFile, file = null, hint }: Given) {
  const say = useWords(words)
  const formats = useFormats()
  const [problem, setProblem] = useState<Problem>()
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={([file]) => {
          setProblem(undefined)
          if (file) onFile(file)
        }}
        onReject={([rejection]) => setProblem(PROBLEMS[rejection?.errors[0]?.code ?? ''] ?? 'notTaken')}
        accept={ACCEPTED}
        maxSize={FILE_BYTES_MAX}
        multiple={false}
        inputProps={{ 'aria-label': say.drop }}
        data-autofocus
      >
        <Group justify="center" gap="md" mih={120} wrap="nowrap" style={{ pointerEvents: 'none' }}>
          <IconFileSpreadsheet size={36} stroke={1.5} aria-hidden />
          <div>
            <Text fw={600}>{file ? file.name : say.drop}</Text>
            <Text size="sm" c="dimmed">
              {file ? formats.size(file.size) : (hint ?? say.hint)}
            </Text>
          </div>
        </Group>
      </Dropzone>
      {problem && (
        <Alert color="red" role="alert">
          {say[problem]}
        </Alert>
      )}
    </Stack>
  )
}
