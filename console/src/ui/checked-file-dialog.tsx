import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { defineWords, useWords } from '../lib/language.ts'
import { FileDrop } from './file-drop.tsx'
import { Problem } from './problem.tsx'

const words = defineWords({ store: 'Store', cancel: 'Cancel' }, { store: 'Enregistrer', cancel: 'Annuler' })

/** A dialog for a file that is stored as a whole. It is checked first, and can be stored once it has no mistakes. */
export function CheckedFileDialog<Answer>({
  title,
  hint,
  describe,
  check: checkFile,
  store: storeFile,
  onStored,
  onClose,
  children
}: {
  title: string
  /** What the file must look like. */
  hint: string
  /** Says what a correct file has. */
  describe(answer: Answer): string
  check(file: File): Promise<Answer>
  store(file: File): Promise<Answer>
  onStored(answer: Answer): void
  onClose(): void
  /** Fields that are sent with the file. */
  children?: ReactNode
}) {
  const say = useWords(words)
  const [file, setFile] = useState<File | null>(null)
  const check = useMutation({ meta: { isShown: true }, mutationFn: checkFile })
  const store = useMutation({
    meta: { isShown: true },
    mutationFn: storeFile,
    onSuccess(answer) {
      onStored(answer)
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) store.mutate(file)
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {store.isError && <Problem error={store.error} />}
          {children}
          <FileDrop
            file={file}
            hint={hint}
            onFile={(chosen) => {
              setFile(chosen)
              store.reset()
              check.mutate(chosen)
            }}
          />
          {check.isError && <Problem error={check.error} />}
          {check.data !== undefined && (
            <Alert color="green" role="status">
              <Text size="sm">{describe(check.data)}</Text>
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.cancel}
            </Button>
            <Button type="submit" disabled={check.data === undefined} loading={store.isPending || check.isPending}>
              {say.store}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
