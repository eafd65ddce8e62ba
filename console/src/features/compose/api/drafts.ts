import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api.ts'
import { type Draft, toFields } from '../draft.ts'
import type { SavedAs } from '../kept-draft.ts'

/** As many as an account may have. */
const DRAFTS_MAX = 100

export const draftsQuery = queryOptions({
  queryKey: ['drafts'],
  queryFn: async () => (await call('listDrafts', { query: { limit: DRAFTS_MAX } })).items
})

export const readDraft = (id: number) => call('readDraft', { path: { id } })

/** Read anew each time: another window may have changed it. */
export const draftQuery = (id: number) =>
  queryOptions({ queryKey: ['draft', id], queryFn: () => readDraft(id), gcTime: 0, staleTime: 0, retry: false })

export function saveDraft(draft: Draft, saved: SavedAs | undefined) {
  const body = { name: draft.name.trim(), channel: draft.channel, fields: toFields(draft) }
  return saved
    ? call('updateDraft', { path: { id: saved.id }, body: { ...body, version: saved.version } })
    : call('createDraft', { body })
}

export const deleteDraft = (id: number) => call('deleteDraft', { path: { id } })
