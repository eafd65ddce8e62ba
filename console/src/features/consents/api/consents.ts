import { call, type Schemas } from '../../../lib/api.ts'
import { upload } from '../../../lib/upload.ts'
import type { ImportWatch } from '../../../ui/import-numbers-dialog.tsx'

export type Consent = Schemas['Consent']
export type Keyword = Schemas['ConsentKeyword']

export const CONSENTS = ['consents']

export const pageConsents = (query: { page: number; limit: number; search: string }, signal: AbortSignal) =>
  call('listConsents', { query, signal })

export const addConsent = (consent: Schemas['ConsentGiven']) => call('addConsents', { body: { consents: [consent] } })

export const withdrawConsent = (number: string, purpose: string) =>
  call('withdrawConsent', { path: { number }, body: { reason: 'console', purpose } })

export function importConsents(file: File, watch: ImportWatch) {
  const form = new FormData()
  form.set('file', file)
  return upload('importConsents', form, watch)
}

export const keywordsQuery = {
  queryKey: ['consent-keywords'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('listKeywords', { signal })
}

export const addKeyword = (body: Schemas['ConsentKeywordDto']) => call('addKeyword', { body })
export const deleteKeyword = (id: number) => call('deleteKeyword', { path: { id } })
