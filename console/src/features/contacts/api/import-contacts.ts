import type { Schemas } from '../../../lib/api.ts'
import { type UploadProgress, upload } from '../../../lib/upload.ts'
import type { ContactField } from '../fields.ts'
import { countWorkbookRows } from './workbook-rows.ts'

export type Preview = Schemas['ContactsFilePreview']
export type Imported = Schemas['ContactsAddedRo']

/** As many rows as the service can name. */
const ERRORS_MAX = 100_000
const TITLE_LENGTH_MAX = 255

interface Watch {
  onProgress(progress: UploadProgress): void
  signal: AbortSignal
}

export function previewContacts(file: File, watch: Watch): Promise<Preview> {
  const form = new FormData()
  form.set('file', file)
  return upload('previewContacts', form, watch)
}

export function importContacts(
  { file, listId, mapping }: { file: File; listId: number; mapping: Record<string, string> },
  watch: Watch
): Promise<Imported> {
  const form = new FormData()
  form.set('contactlist_id', String(listId))
  form.set('mapping', JSON.stringify(mapping))
  form.set('errors', String(ERRORS_MAX))
  form.set('file', file)
  return upload('importContacts', form, watch)
}

/** Each column by its title or, where the title is empty, repeated or too long, by its position. */
export function toMapping(columns: Preview['columns'], fields: (ContactField | null)[]): Record<string, string> {
  const keys = columns.map(({ name }) => columnKey(name))
  return Object.fromEntries(
    fields.flatMap((field, index) => {
      if (field === null) return []
      const key = keys[index] ?? ''
      const name = columns[index]?.name ?? ''
      const isClear = key !== '' && keys.indexOf(key) === keys.lastIndexOf(key) && name.length <= TITLE_LENGTH_MAX
      return [[isClear ? name : String(index + 1), field]]
    })
  )
}

/** As the service compares titles. */
function columnKey(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const NEW_LINE = 10

/** The rows below the header; null for a workbook that can't be read here. */
export async function countRows(file: File): Promise<number | null> {
  if (/\.xlsx$/i.test(file.name)) return countWorkbookRows(file)
  const reader = file.stream().getReader()
  let lines = 0
  let last = NEW_LINE
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    for (const byte of value) if (byte === NEW_LINE) lines++
    last = value.at(-1) ?? last
  }
  const all = last === NEW_LINE ? lines : lines + 1
  return Math.max(0, all - 1)
}
