import { notFound } from '../errors.ts'
import type { RecipientSource } from '../sends/recipient-source.ts'
import { contactValues } from '../sends/recipient-sources.ts'
import type { Send } from '../sends/send.ts'
import { openAudience, readAudience } from './audience.store.ts'
import { refuseGone } from './rule-check.ts'
import { findSegment } from './segments.store.ts'

/** The people of segments, as they are when the source is read. */
export function fromSegments(
  segmentIds: readonly number[],
  { accountId, variables, timeZone, now }: Send
): RecipientSource {
  const distinct = [...new Set(segmentIds)]
  const { fields, toGiven } = contactValues(variables)
  return {
    path: 'segments',
    async *read(database) {
      for (const id of distinct) {
        const segment = await findSegment(database, { accountId, id })
        if (!segment) throw notFound('segment')
        await refuseGone(database, accountId, segment)
        await openAudience(database, cursorOf(id), { accountId, rules: segment.rules, timeZone, now }, fields)
        // Again: a list that still exists now was complete then. Deleting it from now on changes nothing.
        await refuseGone(database, accountId, segment)
      }
      for (const id of distinct) {
        for await (const rows of readAudience(database, cursorOf(id))) yield rows.map(toGiven)
      }
    }
  }
}

function cursorOf(id: number): string {
  return `segment_${Math.trunc(id)}`
}
