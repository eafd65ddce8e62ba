import { useSyncExternalStore } from 'react'

/*
 * What was written on virtual phones, for as long as the tab is open: the sandbox remembers what they received, not what they said.
 */

export interface SentReply {
  at: string
  content: string
}

const NONE: SentReply[] = []
const replies = new Map<string, SentReply[]>()
const listeners = new Set<() => void>()

export function addReply(number: string, content: string): void {
  replies.set(number, [...(replies.get(number) ?? NONE), { at: new Date().toISOString(), content }])
  for (const listener of listeners) listener()
}

export function useReplies(number: string): SentReply[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => replies.get(number) ?? NONE
  )
}
