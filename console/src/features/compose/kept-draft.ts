import { useEffect, useState } from 'react'
import { onLogOut } from '../../lib/session.ts'
import { type Draft, emptyDraft } from './draft.ts'

/*
 * The message that is being written stays while one looks elsewhere, or logs in again after the session was over. It is its
 * writer's: another account does not get to see it, and whoever logs out leaves none.
 */

interface Kept {
  accountId: number
  /** The wish it began with: to this list, from that template. One that is done is not done again over what was written since. */
  wish: string
  draft: Draft
}

let kept: Kept | undefined

export function forgetDraft(): void {
  kept = undefined
}
onLogOut(forgetDraft)

/** The draft of an account, begun with what is wished for, and whether that is still to be done. */
export function useKeptDraft(accountId: number, wish: string, changes: Partial<Draft>) {
  const [before] = useState(kept?.accountId === accountId ? kept : undefined)
  const isNew = before?.wish !== wish
  const [draft, setDraft] = useState<Draft>({ ...(before?.draft ?? emptyDraft()), ...(isNew && changes) })
  useEffect(() => {
    kept = { accountId, wish, draft }
  }, [accountId, wish, draft])
  return { draft, setDraft, isNew }
}
