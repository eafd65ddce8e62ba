import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../lib/api.ts'
import { useIsAway } from '../../lib/away.ts'
import { saveDraft } from './api/drafts.ts'
import { type Draft, isEmpty } from './draft.ts'
import { type DraftIdentity, keepSaved, type SavedAs, savedOf } from './kept-draft.ts'

/*
 * A draft saves itself on the service a moment after each change. Writes follow one another, each from the version that the one
 * before made. When somebody else changed or removed the draft, nothing is written until its writer has chosen.
 */

const REST_MS = 1_500

/** One for all visits of the page: a write of the visit before may still be on its way. */
let lastWrite: Promise<void> = Promise.resolve()

export type SaveState = 'unsaved' | 'saving' | 'saved' | 'failed' | 'changed' | 'gone'

export function useSavedDraft({
  identity,
  draft,
  saved: before,
  isSending
}: {
  identity: DraftIdentity
  draft: Draft
  saved: SavedAs | undefined
  isSending: boolean
}) {
  const queries = useQueryClient()
  const [saved, setSaved] = useState(before)
  const [state, setState] = useState<SaveState>(before ? 'saved' : 'unsaved')
  const [problem, setProblem] = useState<unknown>()
  // What a write needs at its time, whichever rendering asked for it.
  const now = useRef({ draft, saved: before, isTouched: false, isStopped: false })

  const write = useCallback(async (): Promise<void> => {
    const { draft, isTouched, isStopped } = now.current
    const saved = savedOf(identity) ?? now.current.saved
    if (!isTouched || isStopped || (!saved && isEmpty(draft))) return
    now.current.isTouched = false
    setState('saving')
    try {
      const { id, version } = await saveDraft(draft, saved)
      now.current.saved = { id, version }
      keepSaved(identity, { id, version })
      setSaved({ id, version })
      setState(now.current.isTouched ? 'unsaved' : 'saved')
      void queries.invalidateQueries({ queryKey: ['drafts'] })
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0
      now.current.isTouched = true
      now.current.isStopped = saved !== undefined && (status === 409 || status === 404)
      setState(!now.current.isStopped ? 'failed' : status === 409 ? 'changed' : 'gone')
      setProblem(error)
    }
  }, [identity, queries])

  const save = useCallback((): Promise<void> => {
    lastWrite = lastWrite.then(write)
    return lastWrite
  }, [write])

  useEffect(() => {
    if (isSending) return
    now.current.draft = draft
    const timer = setTimeout(() => void save(), REST_MS)
    return () => clearTimeout(timer)
  }, [draft, isSending, save])
  useEffect(() => () => void save(), [save])
  const isAway = useIsAway()
  useEffect(() => {
    if (!isAway && now.current.isTouched) void save()
  }, [isAway, save])

  return {
    saved,
    state,
    problem,
    save,
    /** The same at the time of the call. */
    savedNow: () => now.current.saved,
    /** The writer changed something. */
    touch() {
      now.current.isTouched = true
      if (!now.current.isStopped) setState('unsaved')
    },
    /** The draft was sent: nothing of it is kept. */
    stop() {
      now.current.isStopped = true
    },
    /** Goes on with what stands here as a draft of its own. */
    keepMine() {
      Object.assign(now.current, { saved: undefined, isTouched: true, isStopped: false })
      keepSaved(identity, undefined)
      setSaved(undefined)
      void save()
    },
    /** Goes on with what the service has. */
    take(theirs: SavedAs) {
      Object.assign(now.current, { saved: theirs, isTouched: false, isStopped: false })
      keepSaved(identity, theirs)
      setSaved(theirs)
      setState('saved')
    }
  }
}
