import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { findDeparture } from './departures.store.ts'

export const readMessageDeparture = operation({
  route: 'GET /messages/{id}/departure',
  id: 'readMessageDeparture',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Departure of a message to segments',
  description:
    'When a scheduled message to segments departs. Its recipients are found and its credits are taken then. A message that has departed, and one that is not for segments, has no departure: 404.',
  answer: Type.Object(
    {
      due_at: Type.String({ format: 'date-time' }),
      segments: Type.Array(Type.Integer(), { description: 'The ids of its segments.' }),
      problem: Nullable(
        Type.String({ description: 'Why the departure was refused; the message is failed then. Null while it waits.' })
      )
    },
    { $id: 'Departure' }
  ),
  example: { answer: { due_at: '2026-12-24T09:00:00.000Z', segments: [5], problem: null } },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const departure = await findDeparture(database, { accountId, id })
    if (!departure) throw notFound('departure')
    return { due_at: departure.dueAt.toISOString(), segments: departure.segmentIds, problem: departure.problem }
  }
})
