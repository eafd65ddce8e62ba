import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import type { UploadProgress } from '../lib/upload.ts'
import { FileDrop } from './file-drop.tsx'
import { useLeaveWarning } from './leave-warning.tsx'
import { LeftOutRows } from './left-out-rows.tsx'
import { Problem } from './problem.tsx'
import { UploadBar } from './upload-bar.tsx'

const words = defineWords(
  {
    cancel: 'Cancel',
    close: 'Close',
    done: 'The file was imported.',
    added: 'Added',
    existing: 'Already listed',
    invalid: 'Invalid'
  },
  {
    cancel: 'Annuler',
    close: 'Fermer',
    done: 'Le fichier a été importé.',
    added: 'Ajoutés',
    existing: 'Déjà présents',
    invalid: 'Invalides'
  }
)

/** What a file of numbers brought. */
export interface Imported {
  added: number
  existing: number
  invalid: number
  errors: { line: number; value: string; reason: string }[]
}

export interface ImportWatch {
  onProgress(progress: UploadProgress): void
  signal: AbortSignal
}

interface Given {
  isOpen: boolean
  onClose(): void
  title: string
  hint: string
  /** Said while the service stores the file. */
  storing: string
  /** The queries that are read again afterwards. */
  queryKey: string[]
  upload(file: File, watch: ImportWatch): Promise<Imported>
  /** Fields above the file. */
  children?: ReactNode
}

/** A dialog that takes a file of numbers and tells what became of its lines. */
export function ImportNumbersDialog({ isOpen, onClose, title, ...steps }: Given) {
  const [isBusy, setBusy] = useState(false)
  useLeaveWarning(isBusy)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnEscape={!isBusy}
      closeOnClickOutside={false}
      withCloseButton={!isBusy}
    >
      <ImportSteps {...steps} onClose={onClose} onBusy={setBusy} />
    </Modal>
  )
}

function ImportSteps({
  hint,
  storing,
  queryKey,
  upload,
  children,
  onClose,
  onBusy
}: Omit<Given, 'isOpen' | 'title'> & { onBusy(isBusy: boolean): void }) {
  const say = useWords(words)
  const client = useQueryClient()
  const [progress, setProgress] = useState<UploadProgress>()
  const controller = useRef<AbortController>(undefined)
  const store = useMutation({
    mutationFn(file: File) {
      setProgress(undefined)
      controller.current = new AbortController()
      return upload(file, { onProgress: setProgress, signal: controller.current.signal })
    },
    meta: { isShown: true },
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
    onSuccess: () => client.invalidateQueries({ queryKey })
  })
  const isSent = progress !== undefined && progress.loaded === progress.total
  if (store.isSuccess) return <Done imported={store.data} onClose={onClose} />
  if (store.isPending) {
    return (
      <Stack>
        <UploadBar progress={progress} working={storing} />
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
      <Text c="dimmed">{hint}</Text>
      {children}
      <FileDrop onFile={(file) => store.mutate(file)} />
    </Stack>
  )
}

const COUNTS = ['added', 'existing', 'invalid'] as const

function Done({ imported, onClose }: { imported: Imported; onClose(): void }) {
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
