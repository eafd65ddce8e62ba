import { useEffect, useState } from 'react'
import { onLogOut } from '../../lib/session.ts'
import { type Draft, emptyDraft } from './draft.ts'

/*
 * The draft stays while its writer looks at other pages, or logs in again after the session expired. It belongs to its account:
 * another account does not see it, and a log-out removes it.
 */

interface Kept {
  accountId: number
  /** The link that opened the page: to this list, from that template. It is applied once, and not again over later edits. */
  wish: string
  draft: Draft
}

let kept: Kept | undefined

export function forgetDraft(): void {
  kept = undefined
}
onLogOut(forgetDraft)

/** The draft of an account, started from the link, and whether the link is still to be applied. */
export function useKeptDraft(accountId: number, wish: string, changes: Partial<Draft>) {
  const [before] = useState(kept?.accountId === accountId ? kept : undefined)
  const isNew = before?.wish !== wish
  const [draft, setDraft] = useState<Draft>({ ...(before?.draft ?? emptyDraft()), ...(isNew && changes) })
  useEffect(() => {
    kept = { accountId, wish, draft }
  }, [accountId, wish, draft])
  return { draft, setDraft, isNew }
}
