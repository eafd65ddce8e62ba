import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import type { UploadProgress } from '../../../lib/upload.ts'
import { useLongWork } from '../../../lib/works.ts'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { useIsPhone } from '../../../ui/is-phone.ts'
import { useLeaveWarning } from '../../../ui/leave-warning.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { UploadBar } from '../../../ui/upload-bar.tsx'
import { type ContactList, createContactList, deleteContactList, refreshLists } from '../api/contact-lists.ts'
import {
  countRows,
  type Imported,
  importContacts,
  type Preview,
  previewContacts,
  toMapping
} from '../api/import-contacts.ts'
import type { ContactField } from '../fields.ts'
import { ImportResult } from './import-result.tsx'
import { ImportTarget, type Target } from './import-target.tsx'
import { MappingTable } from './mapping-table.tsx'

const words = defineWords(
  {
    title: 'Import contacts',
    into: (name: string) => `Import into “${name}”`,
    hint: 'Columns are recognised by their titles; you can change that before anything is stored.',
    mapping: 'Choose the field that each column goes to. These are the first rows of the file.',
    noTel: 'Choose the column with the phone numbers.',
    noName: 'Give the new list a name.',
    reading: 'The file is being read …',
    storing: 'The contacts are being stored …',
    storingRows: (rows: string) => `${rows} rows are being stored …`,
    back: 'Another file',
    submit: 'Import',
    cancel: 'Cancel',
    leave: 'Continue in the background',
    close: 'Close',
    open: 'Open the list'
  },
  {
    title: 'Importer des contacts',
    into: (name: string) => `Importer dans « ${name} »`,
    hint: 'Les colonnes sont reconnues à leurs titres ; vous pourrez changer cela avant tout enregistrement.',
    mapping: 'Choisissez le champ où va chaque colonne. Voici les premières lignes du fichier.',
    noTel: 'Choisissez la colonne des numéros de téléphone.',
    noName: 'Donnez un nom à la nouvelle liste.',
    reading: 'Lecture du fichier…',
    storing: 'Enregistrement des contacts…',
    storingRows: (rows: string) => `Enregistrement de ${rows} lignes…`,
    back: 'Autre fichier',
    submit: 'Importer',
    cancel: 'Annuler',
    leave: 'Continuer en arrière-plan',
    close: 'Fermer',
    open: 'Ouvrir la liste'
  }
)

interface Given {
  /** The list; without it, the dialog asks. */
  list?: ContactList
  isOpen: boolean
  onClose(): void
  onOpenList?(listId: number): void
}

export function ImportDialog({ list, isOpen, onClose, onOpenList }: Given) {
  const say = useWords(words)
  const isNarrow = useIsPhone()
  const [isBusy, setBusy] = useState(false)
  useLeaveWarning(isBusy)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={list ? say.into(list.name) : say.title}
      size={900}
      fullScreen={isNarrow}
      // A running upload is cancelled by its button, and not by a click beside the dialog.
      closeOnEscape={!isBusy}
      closeOnClickOutside={false}
      withCloseButton={!isBusy}
    >
      <ImportSteps list={list} onClose={onClose} onOpenList={onOpenList} onBusy={setBusy} />
    </Modal>
  )
}

type Steps = Pick<Given, 'onClose'> & {
  list: ContactList | undefined
  onOpenList: Given['onOpenList']
  onBusy(isBusy: boolean): void
}

function ImportSteps({ list, onClose, onOpenList, onBusy }: Steps) {
  const say = useWords(words)
  const client = useQueryClient()
  const formats = useFormats()
  const { progress, watch, cut } = useUploadWatch()
  const { run, leave } = useLongWork()
  const [file, setFile] = useState<File>()
  const { data: rows = null } = useQuery({
    queryKey: ['rows of file', file?.name, file?.size, file?.lastModified],
    queryFn: () => countRows(file as File),
    enabled: file !== undefined
  })
  const read = useMutation({
    mutationFn: (file: File) => previewContacts(file, watch()),
    meta: { isShown: true },
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false)
  })
  const store = useMutation({
    mutationFn: (chosen: Chosen) => {
      const { onProgress, signal } = watch()
      return run(
        { kind: 'import', name: (file as File).name },
        (change) =>
          storeFile(file as File, chosen, {
            signal,
            onProgress(progress) {
              onProgress(progress)
              change({ percent: percentOf(progress) })
            }
          }),
        ({ listId }) => (listId === undefined ? {} : { to: `/contacts/${listId}` })
      )
    },
    meta: { isShown: true },
    onMutate: () => onBusy(true),
    // Also after a cancel, which may have come too late.
    onSettled(_answer, _error, { target }) {
      onBusy(false)
      void refreshLists(client, target.listId)
    }
  })
  const failed = [store, read].find(({ error }) => error && error.name !== 'AbortError')?.error
  const again = () => {
    read.reset()
    store.reset()
  }
  const storing = rows === null ? say.storing : say.storingRows(formats.number(rows))
  if (store.isSuccess) return <Done {...store.data} onClose={onClose} onOpenList={onOpenList} />
  if (read.isPending || store.isPending) {
    return (
      <Stack>
        <UploadBar progress={progress} working={read.isPending ? say.reading : storing} />
        <Group justify="flex-end">
          <Button variant="default" onClick={cut}>
            {say.cancel}
          </Button>
          {store.isPending && (
            <Button
              onClick={() => {
                leave()
                onBusy(false)
                onClose()
              }}
            >
              {say.leave}
            </Button>
          )}
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      {failed && <Problem error={failed} />}
      {read.isSuccess && file ? (
        <Mapping
          list={list}
          file={file}
          preview={read.data}
          onBack={again}
          onSubmit={(chosen) => store.mutate(chosen)}
        />
      ) : (
        <>
          <Text c="dimmed">{say.hint}</Text>
          <FileDrop
            onFile={(file) => {
              setFile(file)
              read.mutate(file)
            }}
          />
        </>
      )}
    </Stack>
  )
}

/** Stores the file in the list that was chosen, or in a new one. */
async function storeFile(
  file: File,
  { target, mapping }: Chosen,
  watch: Parameters<typeof importContacts>[1]
): Promise<{ listId: number | undefined; imported: Imported }> {
  const created = target.listId === undefined ? await createContactList(target.name.trim()) : undefined
  const listId = created?.id ?? (target.listId as number)
  // When nothing of the file was stored, the new list is removed too.
  const undo = async () => created && deleteContactList(created.id).catch(() => undefined)
  try {
    const imported = await importContacts({ file, listId, mapping }, watch)
    if (imported.added + imported.updated > 0) return { listId, imported }
    await undo()
    return { listId: created ? undefined : listId, imported }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Undefined once the file is there: how far the service is with its rows, it does not say. */
const percentOf = ({ loaded, total }: UploadProgress) =>
  loaded < total ? Math.floor((loaded / total) * 100) : undefined

interface Chosen {
  target: Target
  mapping: Record<string, string>
}

interface MappingGiven {
  list: ContactList | undefined
  file: File
  preview: Preview
  onBack(): void
  onSubmit(chosen: Chosen): void
}

function Mapping({ list, file, preview, onBack, onSubmit }: MappingGiven) {
  const say = useWords(words)
  const [fields, setFields] = useState<(ContactField | null)[]>(preview.columns.map(({ field }) => field))
  const [target, setTarget] = useState<Target>({ listId: list?.id, name: file.name.replace(/\.\w+$/, '') })
  const problem = !fields.includes('tel')
    ? say.noTel
    : target.listId === undefined && target.name.trim() === ''
      ? say.noName
      : undefined
  return (
    <Stack>
      {!list && <ImportTarget target={target} onChange={setTarget} />}
      <Text>{say.mapping}</Text>
      <MappingTable preview={preview} fields={fields} onChange={setFields} />
      {problem && (
        <Alert color="yellow" role="alert">
          {problem}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          {say.back}
        </Button>
        <Button
          disabled={problem !== undefined}
          onClick={() => onSubmit({ target, mapping: toMapping(preview.columns, fields) })}
        >
          {say.submit}
        </Button>
      </Group>
    </Stack>
  )
}

function Done({
  listId,
  imported,
  onClose,
  onOpenList
}: Pick<Steps, 'onClose' | 'onOpenList'> & { listId: number | undefined; imported: Imported }) {
  const say = useWords(words)
  const open = onOpenList && listId !== undefined ? () => onOpenList(listId) : undefined
  return (
    <Stack>
      <ImportResult imported={imported} />
      <Group justify="flex-end">
        <Button variant={open ? 'default' : 'filled'} onClick={onClose}>
          {say.close}
        </Button>
        {open && <Button onClick={open}>{say.open}</Button>}
      </Group>
    </Stack>
  )
}

/** The progress of the upload, and a button to cancel it. */
function useUploadWatch() {
  const [progress, setProgress] = useState<UploadProgress>()
  const controller = useRef<AbortController>(undefined)
  return {
    progress,
    watch() {
      setProgress(undefined)
      controller.current = new AbortController()
      return { onProgress: setProgress, signal: controller.current.signal }
    },
    cut: () => controller.current?.abort()
  }
}
