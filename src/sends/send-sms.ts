import Type from 'typebox'
import type { Database } from '../database/database.ts'
import { invalidInput, type RefusalCode } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import type { Accept } from './accept.ts'
import type { RecipientSource } from './recipient-source.ts'
import { fromNumbers } from './recipient-sources.ts'
import type { Routing } from './routing.ts'
import { missingContent, readSend, type Send, type SendFields, sendFields } from './send.ts'
import { SendAnswer, SendQuery, statusExample } from './send-answer.ts'
import { dryRun } from './store-many.ts'

export const SEND_BYTES_MAX = 64 * 1024 * 1024
export const RECIPIENTS_IN_BODY_MAX = 100_000

/** The dependencies of the send operations. */
export interface Sending {
  accept: Accept
  routing: Routing
  /** The beginning of every short link, such as `https://sms.example/s`. Known once the service listens. */
  linkUrl(): string
}

export const SEND_REFUSALS: Partial<Record<RefusalCode, string>> = {
  insufficient_credits: 'There are not enough credits; `details` tells required, remaining, missing.',
  external_id_already_processed: 'A message with this `external_id` was accepted before.',
  not_found: 'There is no such template.'
}

/** Reads the fields of an SMS send, then accepts it or dry-runs it. Shared by all SMS send operations. */
export async function sendOrDryRun(
  sending: Sending,
  request: {
    database: Database
    caller: Caller
    fields: SendFields
    isDryRun: boolean | undefined
    toSource(send: Send): RecipientSource
  }
) {
  const { database, fields, isDryRun, toSource } = request
  const send = await readSend(database, fields, { ...request, ...sending })
  return acceptOrDryRun(sending, { database, send, source: toSource(send), isDryRun })
}

/** Accepts a send, or dry-runs it. */
export function acceptOrDryRun(
  { accept, routing }: Sending,
  {
    database,
    send,
    source,
    isDryRun
  }: { database: Database; send: Send; source: RecipientSource; isDryRun: boolean | undefined }
) {
  return isDryRun ? dryRun(database, send, source, routing) : accept(database, send, source)
}

const recipientNumbers = Type.Array(Type.String({ maxLength: 255 }), {
  minItems: 1,
  maxItems: RECIPIENTS_IN_BODY_MAX,
  description: 'Phone numbers, national or international, 1 to 100,000.'
})

const example = {
  body: { recipients: ['06 39 98 00 13', '+33639980014'], content: 'Bonjour !', sender: 'CHAPPE' },
  answer: statusExample
}

export const sendSms = (sending: Sending) =>
  operation({
    route: 'POST /messages/sms',
    id: 'sendSms',
    tag: 'Messages',
    permission: 'send',
    summary: 'Send SMS, manual',
    description:
      'Sends one text to up to 100,000 numbers. Repeated, opted-out and invalid numbers are dropped and counted. The credits of all that is accepted are taken at once; without enough, nothing happens. After a 200 the message survives a crash at any instant.',
    body: Type.Object({ recipients: recipientNumbers, ...sendFields }, { $id: 'MessagesSimpleDto' }),
    missing: missingContent,
    query: SendQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    answer: SendAnswer,
    example,
    refusals: SEND_REFUSALS,
    handle: ({ caller, body: { recipients, ...fields }, query, database }) =>
      sendOrDryRun(sending, {
        database,
        caller,
        fields,
        isDryRun: query.resumeBefore,
        toSource: () => fromNumbers(recipients)
      })
  })

const OldBody = Type.Object(
  {
    recipients: recipientNumbers,
    ...sendFields,
    message_type: Type.Optional(Type.Integer({ description: '1, for SMS.' }))
  },
  { $id: 'MessagesOldDto' }
)

export const sendSmsOldWay = (sending: Sending) =>
  operation({
    route: 'POST /messages',
    id: 'sendSmsOldWay',
    tag: 'Messages',
    permission: 'send',
    summary: 'Send SMS, manual (older address)',
    description: 'Deprecated: the same as `POST /messages/sms`. Also takes `message_type` (1, for SMS).',
    body: OldBody,
    missing: missingContent,
    query: SendQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    answer: SendAnswer,
    example,
    refusals: SEND_REFUSALS,
    async handle({ caller, body, query, database }) {
      const { recipients, message_type, ...fields } = body
      if (message_type !== undefined && message_type !== 1) {
        throw invalidInput([{ path: 'message_type', message: 'must be 1, for SMS' }])
      }
      return sendOrDryRun(sending, {
        database,
        caller,
        fields,
        isDryRun: query.resumeBefore,
        toSource: () => fromNumbers(recipients)
      })
    }
  })
