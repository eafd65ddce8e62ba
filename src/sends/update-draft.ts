import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import {
  DRAFT_BODY_BYTES_MAX,
  DraftChange,
  DraftView,
  draftExample,
  draftInputExample,
  readDraftFields,
  toDraftView
} from './draft.ts'
import { findDraft, updateDraft as updateRow } from './drafts.store.ts'

export const updateDraft = operation({
  route: 'PUT /drafts/{id}',
  id: 'updateDraft',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Change a draft',
  description:
    'Replaces name, channel and fields of a draft. It names the `version` that was read: if somebody changed the draft since, nothing happens and the answer is a 409. Drafts save themselves while they are written, so a change leaves no entry in the audit trail.',
  body: DraftChange,
  bodyBytesMax: DRAFT_BODY_BYTES_MAX,
  answer: DraftView,
  example: { body: { ...draftInputExample, version: 1 }, answer: { ...draftExample, version: 2 } },
  refusals: { state_conflict: 'The draft was changed since that version, or the Idempotency-Key is in use.' },
  async handle({ caller: { accountId }, params: { id }, body: { name, channel, fields: given, version }, database }) {
    const written = { name: name.trim(), channel, fields: readDraftFields(given) }
    const draft = await updateRow(database, { accountId, id, version, ...written })
    if (draft) return toDraftView(draft)
    const now = await findDraft(database, { accountId, id })
    if (!now) throw notFound('draft')
    const sentence = `Somebody changed the draft meanwhile: it has version ${now.version}, and not ${version}. Read it again.`
    throw new Refusal(409, 'state_conflict', sentence)
  }
})
