import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { lockCannedReply, updateCannedReply as updateRow } from './canned-replies.store.ts'
import { CannedReplyChanges, CannedReplyView, cannedReplyExample, checkCannedReply } from './canned-reply.ts'

export const updateCannedReply = operation({
  route: 'PUT /canned-replies/{id}',
  id: 'updateCannedReply',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Update a canned reply',
  description: 'Changes the fields given and leaves the others.',
  body: CannedReplyChanges,
  answer: CannedReplyView,
  example: { body: { name: cannedReplyExample.name }, answer: cannedReplyExample },
  async handle({ caller: { accountId }, params: { id }, body, database, record }) {
    checkCannedReply(body)
    return database.begin(async (database) => {
      const before = await lockCannedReply(database, { accountId, id })
      if (!before) throw notFound('canned reply')
      const after = { id, name: body.name ?? before.name, content: body.content ?? before.content }
      await updateRow(database, { accountId, ...after })
      await record(database, {
        object: { kind: 'canned_reply', id },
        changes: {
          name: [before.name, after.name],
          ...(after.content !== before.content && { content: 'hidden' as const })
        }
      })
      return after
    })
  }
})
