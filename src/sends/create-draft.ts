import { lockAccount } from '../accounts/accounts.store.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import {
  DRAFT_BODY_BYTES_MAX,
  DRAFTS_MAX,
  DraftInput,
  DraftView,
  draftExample,
  draftInputExample,
  readDraftFields,
  toDraftView
} from './draft.ts'
import { countDrafts, insertDraft } from './drafts.store.ts'

export const createDraft = operation({
  route: 'POST /drafts',
  id: 'createDraft',
  tag: 'Beyond',
  permission: 'send_confirmed',
  summary: 'Create a draft',
  description:
    'Keeps a send that is not sent yet, complete or not. A send that names it as its `draft` removes it in the same instant. Drafts that nobody has changed for as long as messages are kept are removed.',
  body: DraftInput,
  bodyBytesMax: DRAFT_BODY_BYTES_MAX,
  answer: DraftView,
  example: { body: draftInputExample, answer: draftExample },
  refusals: { state_conflict: 'The account has 100 drafts, or the Idempotency-Key is in use.' },
  async handle({ caller: { accountId }, body: { name, channel, fields: given }, database, record }) {
    const fields = readDraftFields(given)
    return database.begin(async (database) => {
      // Under the lock, so that two drafts made at once are counted one after the other.
      await lockAccount(database, accountId)
      if ((await countDrafts(database, accountId)) >= DRAFTS_MAX) {
        throw new Refusal(409, 'state_conflict', `The account has ${DRAFTS_MAX} drafts; delete one first.`)
      }
      const draft = await insertDraft(database, { accountId, name: name.trim(), channel, fields })
      await record(database, { object: { kind: 'draft', id: draft.id } })
      return toDraftView(draft)
    })
  }
})
