import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteCannedReply as deleteRow } from './canned-replies.store.ts'

export const deleteCannedReply = operation({
  route: 'DELETE /canned-replies/{id}',
  id: 'deleteCannedReply',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Delete a canned reply',
  description: 'Removes a canned reply. Replies that were sent with it stay as they are.',
  answer: Removed('CannedReplyRemoved'),
  example: { answer: { success: true, message: 'The canned reply was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('canned reply')
      await record(database, { object: { kind: 'canned_reply', id } })
    })
    return { success: true, message: 'The canned reply was deleted.' }
  }
})
