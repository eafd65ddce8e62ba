import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteSegment as deleteRow } from './segments.store.ts'

export const deleteSegment = operation({
  route: 'DELETE /segments/{id}',
  id: 'deleteSegment',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Delete a segment',
  description: 'Removes a segment. Its contacts, and messages that were sent to it, stay as they are.',
  answer: Removed('SegmentRemoved'),
  example: { answer: { success: true, message: 'The segment was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('segment')
      await record(database, { object: { kind: 'segment', id } })
    })
    return { success: true, message: 'The segment was deleted.' }
  }
})
