import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { DraftView, draftExample, toDraftView } from './draft.ts'
import { findDraft } from './drafts.store.ts'

export const readDraft = operation({
  route: 'GET /drafts/{id}',
  id: 'readDraft',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Read a draft',
  description: 'A draft with its fields, and the version that a change names.',
  answer: DraftView,
  example: { answer: draftExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const draft = await findDraft(database, { accountId, id })
    if (!draft) throw notFound('draft')
    return toDraftView(draft)
  }
})
