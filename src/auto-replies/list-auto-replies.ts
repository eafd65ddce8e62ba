import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { listAutoReplies as listRows } from './auto-replies.store.ts'
import { AutoReplyView, autoReplyExample, toAutoReplyView } from './auto-reply.ts'

export const listAutoReplies = operation({
  route: 'GET /auto-replies',
  id: 'listAutoReplies',
  tag: 'Beyond',
  permission: 'read',
  summary: 'List auto-replies',
  description: 'All auto-replies of this account, by name.',
  answer: Type.Array(AutoReplyView),
  example: { answer: [autoReplyExample] },
  handle: async ({ caller, database }) => (await listRows(database, caller.accountId)).map(toAutoReplyView)
})
