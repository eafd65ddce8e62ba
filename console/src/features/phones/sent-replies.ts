import { createPersonalStore } from '../../lib/store.ts'

/*
 * Replies that were written on virtual phones, while the tab is open: the sandbox keeps received messages, not replies.
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
