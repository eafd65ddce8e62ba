import { isDeepStrictEqual } from 'node:util'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { refuseUnknown } from './rule-check.ts'
import { pickRules, refuseBadRules } from './rules.ts'
import { rulesExample, SegmentInput, SegmentView, segmentExample, toSegmentView } from './segment.ts'
import { updateSegment as updateRow } from './segments.store.ts'

export const updateSegment = operation({
  route: 'PUT /segments/{id}',
  id: 'updateSegment',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Update a segment',
  description: 'Replaces the name and the rules.',
  body: SegmentInput,
  answer: SegmentView,
  example: { body: { name: segmentExample.name, ...rulesExample }, answer: segmentExample },
  refusals: {
    not_found: 'There is no such segment, or a rule names a list or a message that the account does not have.'
  },
  async handle({ caller: { accountId }, params: { id }, body: { name, ...given }, database, record }) {
    const rules = pickRules(given)
    refuseBadRules(rules)
    return database.begin(async (database) => {
      await refuseUnknown(database, accountId, rules)
      const updated = await updateRow(database, { accountId, id, name, rules })
      if (!updated) throw notFound('segment')
      const { before, segment } = updated
      await record(database, {
        object: { kind: 'segment', id },
        // Rules may hold what is known about people.
        changes: { name: [before.name, name], ...(!isDeepStrictEqual(before.rules, rules) && { rules: 'hidden' }) }
      })
      return toSegmentView(segment, [])
    })
  }
})
