import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findCannedReply } from './canned-replies.store.ts'
import { CannedReplyView, cannedReplyExample } from './canned-reply.ts'

export const readCannedReply = operation({
  route: 'GET /canned-replies/{id}',
  id: 'readCannedReply',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Canned reply details',
  description: 'One canned reply.',
  answer: CannedReplyView,
  example: { answer: cannedReplyExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const reply = await findCannedReply(database, { accountId, id })
    if (!reply) throw notFound('canned reply')
    return reply
  }
})
