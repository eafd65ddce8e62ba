import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { listCannedReplies as listRows } from './canned-replies.store.ts'
import { CannedReplyView, cannedReplyExample } from './canned-reply.ts'

export const listCannedReplies = operation({
  route: 'GET /canned-replies',
  id: 'listCannedReplies',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List canned replies',
  description: 'All canned replies of this account, by name.',
  answer: Type.Array(CannedReplyView),
  example: { answer: [cannedReplyExample] },
  handle: ({ caller, database }) => listRows(database, caller.accountId)
})
