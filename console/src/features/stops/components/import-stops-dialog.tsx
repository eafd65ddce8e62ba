import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { UploadProgress } from '../../../lib/upload.ts'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { useLeaveWarning } from '../../../ui/leave-warning.ts'
import { LeftOutRows } from '../../../ui/left-out-rows.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { UploadBar } from '../../../ui/upload-bar.tsx'
import { type ImportedStops, importStops } from '../api/import-stops.ts'

const words = defineWords(
  {
    title: 'Import STOPs',
    hint: 'Every number of the file is opted out. The column of the numbers is found by its title or by what is in it.',
    storing: 'The STOPs are being stored …',
    cancel: 'Cancel',
    close: 'Close',
    done: 'The file was imported.',
    added: 'Added',
    existing: 'There already',
    invalid: 'Invalid'
  },
  {
    title: 'Importer des STOP',
    hint: 'Chaque numéro du fichier est désinscrit. La colonne des numéros est reconnue à son titre ou à son contenu.',
    storing: 'Enregistrement des STOP…',
    cancel: 'Annuler',
    close: 'Fermer',
    done: 'Le fichier a été importé.',
    added: 'Ajoutés',
    existing: 'Déjà présents',
    invalid: 'Invalides'
  }
)

interface Given {
  isOpen: boolean
  onClose(): void
}

export function ImportStopsDialog({ isOpen, onClose }: Given) {
  const say = useWords(words)
  const [isBusy, setBusy] = useState(false)
  useLeaveWarning(isBusy)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={say.title}
      size="lg"
      closeOnEscape={!isBusy}
      closeOnClickOutside={false}
      withCloseButton={!isBusy}
    >
      <ImportSteps onClose={onClose} onBusy={setBusy} />
    </Modal>
  )
}

function ImportSteps({ onClose, onBusy }: Pick<Given, 'onClose'> & { onBusy(isBusy: boolean): void }) {
  const say = useWords(words)
  const client = useQueryClient()
  const [progress, setProgress] = useState<UploadProgress>()
  const controller = useRef<AbortController>(undefined)
  const store = useMutation({
    mutationFn(file: File) {
      setProgress(undefined)
      controller.current = new AbortController()
      return importStops(file, { onProgress: setProgress, signal: controller.current.signal })
    },
    meta: { isShown: true },
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
    onSuccess: () => client.invalidateQueries({ queryKey: ['stops'] })
  })
  const isSent = progress !== undefined && progress.loaded === progress.total
  if (store.isSuccess) return <Done imported={store.data} onClose={onClose} />
  if (store.isPending) {
    return (
      <Stack>
        <UploadBar progress={progress} working={say.storing} />
        {!isSent && (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => controller.current?.abort()}>
              {say.cancel}
            </Button>
          </Group>
        )}
      </Stack>
    )
  }
  return (
    <Stack>
      {store.isError && store.error.name !== 'AbortError' && <Problem error={store.error} />}
      <Text c="dimmed">{say.hint}</Text>
      <FileDrop onFile={(file) => store.mutate(file)} />
    </Stack>
  )
}

const COUNTS = ['added', 'existing', 'invalid'] as const

function Done({ imported, onClose }: { imported: ImportedStops; onClose(): void }) {
  const say = useWords(words)
  const formats = useFormats()
  return (
    <Stack>
      <Text role="status">{say.done}</Text>
      <SimpleGrid cols={3}>
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
      {imported.errors.length > 0 && <LeftOutRows rows={imported.errors} total={imported.invalid} />}
      <Group justify="flex-end">
        <Button onClick={onClose}>{say.close}</Button>
      </Group>
    </Stack>
  )
}
