import Type, { type Static } from 'typebox'
import type { Channel } from '../messages/message.ts'
import { Nullable } from '../schemas/nullable.ts'
import { resultFields, resultsExample, toResults } from './rates.ts'

/** A message with its counts. */
export interface MessageCounts {
  messageId: number
  name: string | null
  content: string
  channel: Channel
  sender: string
  scheduledAt: Date
  link: string | null
  recipients: number
  sent: number
  delivered: number
  failed: number
  clicked: number
  replied: number
  optedOut: number
}

const messageFields = {
  message_id: Type.Integer(),
  name: Nullable(Type.String({ description: 'Null without a name.' })),
  content: Type.String(),
  channel: Type.Enum(['sms', 'rcs'], { description: 'An RCS that fell back to SMS is of RCS.' }),
  sender: Type.String(),
  due_at: Type.String({ format: 'date-time' }),
  link: Nullable(Type.String({ description: 'Where its tracked link leads; null without one.' })),
  recipients: Type.Integer(),
  ...resultFields
}

/** The results of one message. */
export const MessageResult = Type.Object(messageFields, { $id: 'MessageResult' })

/** Recipients that have something in common, such as their country. */
export const groupFields = {
  recipients: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer({ description: 'Failed, expired or rejected.' }),
  clicked: Type.Integer({ description: 'Through links of their own; who opens a `common` link is not known.' })
}

const Hour = Type.Object({
  hour: Type.Integer({ minimum: 0, maximum: 168, description: 'Whole hours since it was due; 168 is a week or more.' }),
  delivered: Type.Integer(),
  clicked: Type.Integer(),
  replied: Type.Integer(),
  opted_out: Type.Integer()
})
export type HourCounts = Static<typeof Hour>

/** The results of one message, in all and in parts. */
export const MessageResults = Type.Object(
  {
    ...messageFields,
    counted_at: Type.String({
      format: 'date-time',
      description:
        'When its recipients were counted by hour, country, carrier and error. A large message that changes later is counted again after a while; the other counts are always current.'
    }),
    hours: Type.Array(Hour, { description: 'In order, without the hours in which nothing happened.' }),
    countries: Type.Array(Type.Object({ country: Type.String({ description: 'ISO 3166.' }), ...groupFields })),
    carriers: Type.Array(Type.Object({ carrier: Type.String(), ...groupFields }), {
      description: 'Without recipients that no carrier has got yet.'
    }),
    errors: Type.Array(Type.Object({ error: Type.String({ description: 'As `errorcode`.' }), ...groupFields }), {
      description: 'The commonest first, at most 100.'
    })
  },
  { $id: 'MessageResults' }
)

export function toMessageResult(message: MessageCounts): Static<typeof MessageResult> {
  return {
    message_id: message.messageId,
    name: message.name,
    content: message.content,
    channel: message.channel,
    sender: message.sender,
    due_at: message.scheduledAt.toISOString(),
    link: message.link,
    recipients: message.recipients,
    ...toResults({ ...message, deliveredWithLink: message.link === null ? 0 : message.delivered })
  }
}

export const messageResultExample: Static<typeof MessageResult> = {
  message_id: 7,
  name: 'Soldes d’hiver',
  content: 'Soldes : https://sms.example/s/k3Zq81LmXw STOP 36111',
  channel: 'sms',
  sender: 'BOUTIQUE',
  due_at: '2026-11-15T09:00:00.000Z',
  link: 'https://boutique.example/soldes',
  recipients: 2_040,
  ...resultsExample
}
