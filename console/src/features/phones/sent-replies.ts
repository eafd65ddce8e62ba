import { createPersonalStore } from '../../lib/store.ts'

/*
 * What was written on virtual phones, for as long as the tab is open: the sandbox remembers what they received, not what they said.
 */

export interface SentReply {
  at: string
  content: string
}

const NONE: SentReply[] = []
const replies = createPersonalStore<ReadonlyMap<string, SentReply[]>>(new Map())

export function addReply(number: string, content: string): void {
  const own = [...(replies.read().get(number) ?? NONE), { at: new Date().toISOString(), content }]
  replies.change(new Map(replies.read()).set(number, own))
}

export const useReplies = (number: string): SentReply[] => replies.use().get(number) ?? NONE
