import type { Sql } from '../database/database.ts'
import { EXTRACT_CHUNK, extract } from '../http/extract.ts'
import { listRepliesBefore } from './replies.store.ts'
import { ReplyView, replyExample, toReplyView } from './reply.ts'

export const extractReplies = extract({
  route: 'GET /messages/replies/extract',
  id: 'extractReplies',
  tag: 'Messages',
  permission: 'read',
  summary: 'Replies, full extract',
  description: 'All replies, newest first, streamed: as JSON or, with `Accept: text/csv`, as CSV.',
  row: ReplyView,
  example: { answer: [replyExample] },
  mayLag: true,
  handle: ({ caller, database }) => readReplies(database, caller.accountId)
})

async function* readReplies(sql: Sql, accountId: number) {
  let beforeId = Number.MAX_SAFE_INTEGER
  while (true) {
    const replies = await listRepliesBefore(sql, { accountId, beforeId, limit: EXTRACT_CHUNK })
    yield replies.map(toReplyView)
    const last = replies.at(-1)
    if (!last || replies.length < EXTRACT_CHUNK) return
    beforeId = last.id
  }
}
