import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findProblems } from './rule-check.ts'
import { SegmentView, segmentExample, toSegmentView } from './segment.ts'
import { findSegment } from './segments.store.ts'

export const readSegment = operation({
  route: 'GET /segments/{id}',
  id: 'readSegment',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Segment details',
  description: 'A segment with its rules, and those of them that name something which is gone.',
  answer: SegmentView,
  example: { answer: segmentExample },
  async handle({ caller: { accountId }, params: { id }, database }) {
    const segment = await findSegment(database, { accountId, id })
    if (!segment) throw notFound('segment')
    const [problems = []] = await findProblems(database, accountId, [segment])
    return toSegmentView(segment, problems)
  }
})
