import type { Database } from '../database/database.ts'
import { draftGone } from './draft.ts'
import { deleteDraft } from './drafts.store.ts'
import type { Send } from './send.ts'

/**
 * Accepts a send, and removes the draft that it names. One transaction does both: of two sends of one draft, the second waits
 * for the first, and is refused once that is accepted.
 */
export function takingDraft<Answer>(
  database: Database,
  { accountId, draft: id }: Pick<Send, 'accountId' | 'draft'>,
  accept: (database: Database) => Promise<Answer>
): Promise<Answer> {
  if (id === undefined) return accept(database)
  return database.begin(async (database) => {
    if (!(await deleteDraft(database, { accountId, id }))) throw draftGone(id)
    return accept(database)
  })
}
