import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteAutoReply as deleteRow } from './auto-replies.store.ts'

export const deleteAutoReply = operation({
  route: 'DELETE /auto-replies/{id}',
  id: 'deleteAutoReply',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Delete an auto-reply',
  description: 'Removes a rule with its history. The messages that it sent stay.',
  answer: Removed('AutoReplyRemoved'),
  example: { answer: { success: true, message: 'The auto-reply was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('auto-reply')
      await record(database, { object: { kind: 'auto_reply', id } })
    })
    return { success: true, message: 'The auto-reply was deleted.' }
  }
})
