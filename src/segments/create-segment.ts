import { lockAccount } from '../accounts/accounts.store.ts'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { refuseUnknown } from './rule-check.ts'
import { pickRules, refuseBadRules } from './rules.ts'
import { rulesExample, SegmentInput, SegmentView, segmentExample, toSegmentView } from './segment.ts'
import { countSegments, insertSegment } from './segments.store.ts'

const SEGMENTS_MAX = 1_000

export const createSegment = operation({
  route: 'POST /segments',
  id: 'createSegment',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Create a segment',
  description:
    'Stores rules under a name: over the fields of contacts, their lists, and what happened to their numbers. Several segments may have the same name. Who fits is found anew for each count and each send.',
  body: SegmentInput,
  answer: SegmentView,
  example: { body: { name: segmentExample.name, ...rulesExample }, answer: segmentExample },
  refusals: {
    not_found: 'A rule names a contact list or a message that the account does not have.',
    state_conflict: 'The account has 1,000 segments, or the Idempotency-Key is in use.'
  },
  async handle({ caller: { accountId }, body: { name, ...given }, database, record }) {
    const rules = pickRules(given)
    refuseBadRules(rules)
    return database.begin(async (database) => {
      await refuseUnknown(database, accountId, rules)
      // Under the lock, so that two segments made at once are counted one after the other.
      await lockAccount(database, accountId)
      if ((await countSegments(database, { accountId, search: undefined })) >= SEGMENTS_MAX) throw tooMany()
      const segment = await insertSegment(database, { accountId, name, rules })
      await record(database, { object: { kind: 'segment', id: segment.id }, changes: { name: [null, name] } })
      return toSegmentView(segment, [])
    })
  }
})

function tooMany(): Refusal {
  return new Refusal(409, 'state_conflict', `The account has ${SEGMENTS_MAX} segments; delete one first.`)
}
