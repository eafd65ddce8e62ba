import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'
import { STOP_WAYS } from '../stops/stop.ts'
import type { OptOutCount } from './opt-outs.store.ts'

/** What a message, or all messages of a sender, reached and lost. */
export const OptOutRateView = Type.Object(
  {
    message_id: Nullable(Type.Integer({ description: 'Null in the figures of a sender.' })),
    sender: Type.String(),
    messages: Type.Integer({ description: 'Messages in this row.' }),
    sent: Type.Integer({ description: 'Recipients that a carrier accepted.' }),
    opt_outs: Type.Integer({ description: 'People who opted out in answer to them, also if they came back.' }),
    rate: Type.Number({ description: '`opt_outs` divided by `sent`; 0 when nothing was sent.' }),
    ways: Type.Object(Object.fromEntries(STOP_WAYS.map((way) => [way, Type.Integer()])), {
      description: 'The opt-outs by their way.'
    })
  },
  { $id: 'OptOutRate' }
)

export function toOptOutRate(count: OptOutCount & { messageId?: number }): Static<typeof OptOutRateView> {
  const ways = Object.fromEntries(STOP_WAYS.map((way) => [way, Number(count.ways[way] ?? 0)]))
  const optOuts = Object.values(ways).reduce((sum, each) => sum + each, 0)
  const sent = Number(count.sent)
  return {
    message_id: count.messageId ?? null,
    sender: count.sender,
    messages: Number(count.messages),
    sent,
    opt_outs: optOuts,
    rate: sent === 0 ? 0 : optOuts / sent,
    ways
  }
}

export const optOutRateExample: Static<typeof OptOutRateView> = {
  message_id: 7,
  sender: 'CHAPPE',
  messages: 1,
  sent: 2_000,
  opt_outs: 9,
  rate: 0.0045,
  ways: { reply: 5, link: 3, button: 1, platform: 0, manual: 0, file: 0 }
}
