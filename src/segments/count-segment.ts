import { databaseNow } from '../database/clock.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { countAudience } from './audience.store.ts'
import { refuseGone } from './rule-check.ts'
import { SegmentCount } from './segment.ts'
import { findSegment } from './segments.store.ts'

export const countSegment = operation({
  route: 'GET /segments/{id}/count',
  id: 'countSegment',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Count a segment',
  description:
    'How many people fit the rules of a segment now. Opted-out people are counted too: a send drops them, and its dry run tells how many.',
  answer: SegmentCount,
  example: { answer: { count: 1250 } },
  refusals: { state_conflict: 'A rule names a field, a contact list or a message that is gone.' },
  isLongWork: true,
  mayLag: true,
  async handle({ caller: { accountId, timeZone }, params: { id }, database }) {
    return database.begin(async (database) => {
      const segment = await findSegment(database, { accountId, id })
      if (!segment) throw notFound('segment')
      await refuseGone(database, accountId, segment)
      return { count: await countAudience(database, { accountId, rules: segment.rules, timeZone, now: databaseNow() }) }
    })
  }
})
