import { Removed } from '../contacts/contact-list.ts'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findDepartureTo } from '../sends/departures.store.ts'
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
  refusals: {
    state_conflict: 'A scheduled message waits to depart to this segment, or the Idempotency-Key is in use.'
  },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      const waiting = await findDepartureTo(database, { accountId, segmentId: id })
      if (waiting !== undefined) throw inUse(waiting)
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('segment')
      await record(database, { object: { kind: 'segment', id } })
    })
    return { success: true, message: 'The segment was deleted.' }
  }
})

function inUse(messageId: number): Refusal {
  const sentence = `Message ${messageId} is scheduled to this segment; cancel it first.`
  return new Refusal(409, 'state_conflict', sentence)
}
