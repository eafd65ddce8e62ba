import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import classes from './file-drop.module.css'

const FILE_BYTES_MAX = 100 * 1024 * 1024

const words = defineWords(
  {
    drop: 'Drop a file here, or choose one',
    hint: 'CSV, TXT or XLSX, up to 100 MB',
    tooLarge: 'This file is larger than 100 MB. Split it and import the parts.',
    notTaken: 'This is not a CSV, TXT or XLSX file.',
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

/** By their names too: systems report different types for CSV files. */
const ENDINGS = ['.csv', '.txt', '.xlsx']
const TYPES = ['text/csv', 'text/plain', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
const ACCEPTED = [...ENDINGS, ...TYPES].join()

interface Given {
  onFile(file: File): void
  /** The chosen file, where it stays shown. */
  file?: File | null
  hint?: string
}

/** A field to drop or choose a file of people. */
export function FileDrop({ onFile, file = null, hint }: Given) {
  const say = useWords(words)
  const formats = useFormats()
  const [problem, setProblem] = useState<Problem>()
  const [isOver, setIsOver] = useState(false)

  function take(files: FileList | null): void {
    const [file] = files ?? []
    if (!files || !file) return
    const problem = problemOf(file, files.length)
    setProblem(problem)
    if (!problem) onFile(file)
  }
  // Without this, a browser opens a dropped file, and leaves the page.
  function over(event: DragEvent, isOver: boolean): void {
    event.preventDefault()
    setIsOver(isOver)
  }

  return (
    <Stack gap="xs">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same for keyboard and pointer */}
      <div
        className={classes.zone}
        data-over={isOver || undefined}
        onDragOver={(event) => over(event, true)}
        onDragLeave={(event) => over(event, false)}
        onDrop={(event) => {
          over(event, false)
          take(event.dataTransfer.files)
        }}
      >
        {/* An invisible file field covers the whole zone, for clicks, keys and screen readers. */}
        <input
          className={classes.field}
          type="file"
          accept={ACCEPTED}
          aria-label={say.drop}
          data-autofocus
          onChange={({ currentTarget }) => {
            take(currentTarget.files)
            currentTarget.value = '' // The same file, corrected, can be chosen again.
          }}
        />
        <Group justify="center" gap="md" mih={120} wrap="nowrap">
          <IconFileSpreadsheet size={36} stroke={1.5} aria-hidden />
          <div>
            <Text fw={600}>{file ? file.name : say.drop}</Text>
            <Text size="sm" c="dimmed">
              {file ? formats.size(file.size) : (hint ?? say.hint)}
            </Text>
          </div>
        </Group>
      </div>
      {problem && (
        <Alert color="red" role="alert">
          {say[problem]}
        </Alert>
      )}
    </Stack>
  )
}

function problemOf({ name, type, size }: File, count: number): Problem | undefined {
  if (count > 1) return 'several'
  if (!TYPES.includes(type) && !ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))) return 'notTaken'
  return size > FILE_BYTES_MAX ? 'tooLarge' : undefined
}
