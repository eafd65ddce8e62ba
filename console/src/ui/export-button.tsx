import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { defineWords, useWords } from '../lib/language.ts'
import { saveFile } from '../lib/save-file.ts'
import { useLongWork } from '../lib/works.ts'

export const exportWords = defineWords({ export: 'Export as CSV' }, { export: 'Exporter en CSV' })

/** Fetches a file and lets the browser save it. */
export function useExport(fetchFile: () => Promise<Blob>, name: string) {
  const { run } = useLongWork()
  return useMutation({
    mutationFn: () => run({ kind: 'extract', name }, fetchFile),
    onSuccess: (file) => saveFile(file, name)
  })
}

export function ExportButton({
  fetchFile,
  name,
  label
}: {
  fetchFile(): Promise<Blob>
  name: string
  /** Instead of the usual words. */
  label?: string
}) {
  const say = useWords(exportWords)
  const save = useExport(fetchFile, name)
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {label ?? say.export}
    </Button>
  )
}
