import { databaseNow } from '../database/clock.ts'
import { operation } from '../http/operation.ts'
import { countAudience } from './audience.store.ts'
import { refuseUnknown } from './rule-check.ts'
import { refuseBadRules } from './rules.ts'
import { rulesExample, SegmentCount, SegmentRules } from './segment.ts'

export const countRules = operation({
  route: 'POST /segments/count',
  id: 'countRules',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Count rules',
  description: 'How many people fit rules that are not stored, such as those of a segment that is being built.',
  body: SegmentRules,
  answer: SegmentCount,
  example: { body: rulesExample, answer: { count: 1250 } },
  refusals: { not_found: 'A rule names a contact list or a message that the account does not have.' },
  isLongWork: true,
  mayLag: true,
  async handle({ caller: { accountId, timeZone }, body: rules, database }) {
    refuseBadRules(rules)
    return database.begin(async (database) => {
      await refuseUnknown(database, accountId, rules)
      return { count: await countAudience(database, { accountId, rules, timeZone, now: databaseNow() }) }
    })
  }
})
