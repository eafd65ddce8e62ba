import type { Operations } from '../../../lib/api-types.ts'
import { type UploadProgress, upload } from '../../../lib/upload.ts'

export type ImportedStops = Operations['importStops']['answer']

export function importStops(
  file: File,
  watch: { onProgress(progress: UploadProgress): void; signal: AbortSignal }
): Promise<ImportedStops> {
  const form = new FormData()
  form.set('file', file)
  return upload('importStops', form, watch)
}
