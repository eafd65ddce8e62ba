import { useEffect, useState } from 'react'
import type { Schemas } from '../../lib/api.ts'
import { onLogOut } from '../../lib/session.ts'
import { type Draft, emptyDraft } from './draft.ts'
import { fromSaved } from './message-form.ts'

/*
 * The draft stays while its writer looks at other pages, or logs in again after the session expired. It belongs to its account:
 * another account does not see it, and a log-out removes it. The service keeps it too (saved-draft.ts).
 */

/** The draft as the service has it. */
export interface SavedAs {
  id: number
  version: number
}

/** Tells one draft from the next. */
export type DraftIdentity = object

interface Kept {
  identity: DraftIdentity
  accountId: number
  /** The link that opened the page: to this list, from that template. It is applied once, and not again over later edits. */
  wish: string
  draft: Draft
  saved: SavedAs | undefined
}

let kept: Kept | undefined

export function forgetDraft(): void {
  kept = undefined
}
onLogOut(forgetDraft)

/** What the account is writing, or was writing last. */
export function keptDraftOf(accountId: number): Draft | undefined {
  return kept?.accountId === accountId ? kept.draft : undefined
}

/** Whether this draft of the service is the one that stays here, perhaps with later edits. */
export function isKept(accountId: number, id: number): boolean {
  return kept?.accountId === accountId && kept.saved?.id === id
}

/** Remembers what was saved, also after the page was left. Not of a draft that another one has followed. */
export function keepSaved(identity: DraftIdentity, saved: SavedAs | undefined): void {
  if (kept?.identity === identity) kept.saved = saved
}

export function savedOf(identity: DraftIdentity): SavedAs | undefined {
  return kept?.identity === identity ? kept.saved : undefined
}

interface Opening {
  wish: string
  changes: Partial<Draft>
  /** Whether the link names a message to begin from: nothing of the draft before stays then. */
  isOfMessage: boolean
  /** The draft of the service that the link names. */
  opened: Schemas['Draft'] | undefined
}

/** The draft of an account, started from the link, and whether the link is still to be applied. */
export function useKeptDraft(accountId: number, { wish, changes, isOfMessage, opened }: Opening) {
  const [{ isNew, ...start }] = useState(() => {
    const identity: DraftIdentity = {}
    if (opened) {
      const saved = { id: opened.id, version: opened.version }
      return { isNew: false, identity, draft: fromSaved(opened), saved }
    }
    const before = kept?.accountId === accountId ? kept : undefined
    const isNew = before?.wish !== wish
    const from = isNew && isOfMessage ? undefined : before
    return {
      isNew,
      identity: from?.identity ?? identity,
      draft: { ...(from?.draft ?? emptyDraft()), ...(isNew && changes) },
      saved: from?.saved
    }
  })
  const [draft, setDraft] = useState<Draft>(start.draft)
  const { identity, saved } = start
  useEffect(() => {
    kept = { identity, accountId, wish, draft, saved: kept?.identity === identity ? kept.saved : saved }
  }, [identity, accountId, wish, draft, saved])
  return { draft, setDraft, isNew, identity, saved }
}
