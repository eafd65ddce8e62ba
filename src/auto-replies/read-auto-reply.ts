import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findAutoReply } from './auto-replies.store.ts'
import { AutoReplyView, autoReplyExample, toAutoReplyView } from './auto-reply.ts'

export const readAutoReply = operation({
  route: 'GET /auto-replies/{id}',
  id: 'readAutoReply',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Auto-reply details',
  description: 'One auto-reply.',
  answer: AutoReplyView,
  example: { answer: autoReplyExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const rule = await findAutoReply(database, { accountId, id })
    if (!rule) throw notFound('auto-reply')
    return toAutoReplyView(rule)
  }
})
