import type { Database } from '../database/database.ts'
import { type Draft, withoutNumber } from '../sends/draft.ts'
import { findNextDraft, updateDraftFields } from '../sends/drafts.store.ts'

export interface TypedNumber {
  accountId: number
  phone: string
  /** The country of numbers without a country code. */
  country: string
}

/** Takes a number out of the recipients of all drafts of an account. Returns how many drafts had it. */
export async function eraseFromDrafts(database: Database, number: TypedNumber): Promise<number> {
  let count = 0
  for await (const { id, fields } of draftsWith(database, number, { isLocked: true })) {
    await updateDraftFields(database, { accountId: number.accountId, id, fields })
    count++
  }
  return count
}

/** The drafts that have a number, each with its fields without it. */
export async function* draftsWith(
  database: Database,
  { accountId, phone, country }: TypedNumber,
  { isLocked }: { isLocked: boolean }
): AsyncGenerator<Draft> {
  let afterId = 0
  while (true) {
    const draft = await findNextDraft(database, { accountId, afterId, isLocked })
    if (!draft) return
    const fields = await withoutNumber(draft.fields, { phone, country })
    if (fields) yield { ...draft, fields }
    afterId = draft.id
  }
}
