import { invalidInput } from '../errors.ts'
import { fromRecipientId, POSITIONS, toRecipientId } from '../recipients/recipient.ts'
import type { Reply } from '../replies/reply.ts'
import { ID_MAX } from '../schemas/ids.ts'
import type { Stop } from '../stops/stop.ts'
import type { SentTo } from './look-ups.store.ts'

/*
 * A page over three sources. Each is in the order of its own ids, so the cursor has one id of each. Sources are merged by
 * time: nothing is left out or shown twice, even where ids and times differ a little.
 */

export const CURSOR_PATTERN = '^\\d{1,16}-\\d{1,16}-\\d{1,16}$'

export interface Cursor {
  message: { messageId: number; position: number }
  replyId: number
  stopId: number
}

const START: Cursor = {
  message: { messageId: Math.floor(ID_MAX / POSITIONS), position: 0 },
  replyId: ID_MAX,
  stopId: ID_MAX
}

export function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return START
  const [recipientId = 0, replyId = 0, stopId = 0] = text.split('-').map(Number)
  if (Math.max(recipientId, replyId, stopId) > ID_MAX)
    throw invalidInput([{ path: 'before', message: 'must be the next of an answer' }])
  return { message: fromRecipientId(recipientId), replyId, stopId }
}

function writeCursor({ message, replyId, stopId }: Cursor): string {
  return [toRecipientId(message), replyId, stopId].join('-')
}

interface Sources {
  messages: readonly SentTo[]
  replies: readonly (Reply & { accountId: number })[]
  stops: readonly (Stop & { accountId: number })[]
}

/** A row of a look-up, and what it is about. */
export type FoundItem =
  | { kind: 'message'; row: SentTo }
  | { kind: 'reply'; row: Sources['replies'][number] }
  | { kind: 'stop'; row: Sources['stops'][number] }

/** The newest of all sources, and the cursor behind them; null when that is all. */
export function cutPage(
  { messages, replies, stops }: Sources,
  { before, limit }: { before: Cursor; limit: number }
): { found: FoundItem[]; next: string | null } {
  const queues: FoundItem[][] = [
    messages.map((row) => ({ kind: 'message', row })),
    replies.map((row) => ({ kind: 'reply', row })),
    stops.map((row) => ({ kind: 'stop', row }))
  ]
  const found: FoundItem[] = []
  const after = { ...before }
  while (found.length < limit) {
    const [newest] = queues.filter(({ length }) => length > 0).toSorted((a, b) => timeOf(b) - timeOf(a))
    const taken = newest?.shift()
    if (!taken) break
    found.push(taken)
    if (taken.kind === 'message') after.message = { messageId: taken.row.messageId, position: taken.row.position }
    else if (taken.kind === 'reply') after.replyId = taken.row.id
    else after.stopId = taken.row.id
  }
  return { found, next: queues.some(({ length }) => length > 0) ? writeCursor(after) : null }
}

function timeOf([first]: readonly FoundItem[]): number {
  return first?.row.createdAt.getTime() ?? 0
}
