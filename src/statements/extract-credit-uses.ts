import Type, { type Static } from 'typebox'
import { MessageTypeSchema } from '../credits/credit.ts'
import { liftStatementTimeout } from '../database/database.ts'
import { DayRangeQuery, readDayRange } from '../http/day-range.ts'
import { extract } from '../http/extract.ts'
import { Nullable } from '../schemas/nullable.ts'
import { type DayUse, listDayUses } from './figures.store.ts'
import { findRead, READ_ACCOUNT } from './find-statement.ts'

const CreditUseView = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'A day of UTC, as in statements.' }),
    msgType: MessageTypeSchema,
    message_id: Nullable(
      Type.Integer({
        description:
          'A message to two recipients or more. Null for the sum of messages to one recipient, and of messages that are no longer kept.'
      })
    ),
    campaign: Nullable(Type.String({ description: 'The name of the message.' })),
    subaccount_id: Nullable(Type.Integer({ description: 'The sub-account that sent with these credits.' })),
    country: Nullable(Type.String({ description: 'ISO code; null where it is unknown.' })),
    sender: Nullable(Type.String({ description: 'Null where it is unknown.' })),
    used: Type.Integer({ description: 'Credits that were taken for messages on this day.' }),
    refunded: Type.Integer({ description: 'Credits of messages that came back on this day.' })
  },
  { $id: 'CreditUse' }
)

export const extractCreditUses = extract({
  route: 'GET /stats/credits/extract',
  id: 'extractCreditUses',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Credits by day, campaign, country and sender, full extract',
  description:
    'What messages took and what came back, for accounting: by day of UTC, message, sub-account, country and sender, oldest day first; as JSON or, with `Accept: text/csv`, as CSV. The sums of a month are those of its statement.',
  query: Type.Object({ ...DayRangeQuery, ...READ_ACCOUNT }),
  row: CreditUseView,
  example: {
    answer: [
      {
        day: '2026-11-15',
        msgType: 1,
        message_id: 7,
        campaign: 'Winter sale',
        subaccount_id: null,
        country: 'FR',
        sender: 'MYSHOP',
        used: 3_900,
        refunded: 12
      }
    ]
  },
  refusals: { not_found: 'There is no such account.' },
  mayLag: true,
  async *handle({ caller, query: { account: wanted, ...days }, database }) {
    const account = await findRead(database, caller, wanted)
    const { first, count } = readDayRange(days, 'UTC')
    // A day at a time, so that no query sums up more than the entries of a day.
    for (let index = 0; index < count; index++) {
      const day = first.add({ days: index }).toString()
      const uses = await database.begin(async (database) => {
        await liftStatementTimeout(database)
        return listDayUses(database, account.id, day)
      })
      if (uses.length > 0 || index === 0) yield uses.map((use) => toView(use, day, account.id))
    }
  }
})

function toView(use: DayUse, day: string, accountId: number): Static<typeof CreditUseView> {
  return {
    day,
    msgType: use.messageType,
    message_id: use.messageId,
    campaign: use.name,
    subaccount_id: use.otherId === accountId ? null : use.otherId,
    country: use.country || null,
    sender: use.sender || null,
    used: use.used,
    refunded: use.refunded
  }
}
