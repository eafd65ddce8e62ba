import Type, { type Static } from 'typebox'
import type { Database } from '../database/database.ts'
import { invalidInput, type RefusalCode } from '../errors.ts'
import type { Author } from '../http/act.ts'
import type { Caller } from '../http/caller.ts'
import { needs } from '../http/described-schemas.ts'
import type { SharedKey } from '../http/idempotency.ts'
import { operation } from '../http/operation.ts'
import type { FormKind } from '../messages/message-forms.store.ts'
import { findMessage } from '../messages/messages.store.ts'
import { type Accept, FEW_MAX } from './accept.ts'
import type { Accepted } from './accepted.ts'
import { ConfirmableQuery, confirming } from './confirmation.ts'
import { lateWarnings, refusePastDeadline } from './deadline.ts'
import { forecastFinish, type ReadPaces } from './forecast.ts'
import { toForm } from './message-form.ts'
import type { RecipientSource } from './recipient-source.ts'
import { fromNumbers } from './recipient-sources.ts'
import { acceptInstead } from './replace.ts'
import type { Routing } from './routing.ts'
import {
  missingContent,
  readSend,
  type Send,
  type SendContext,
  type SendFields,
  SMS_CONTENTS,
  sendFields
} from './send.ts'
import { dryRunExample, SendAnswer, SendQuery, statusExample } from './send-answer.ts'
import type { Keeping } from './small-send.ts'
import { withPace } from './spread.ts'
import { dryRun, storeMany } from './store-many.ts'
import { takingDraft } from './take-draft.ts'
import { traceAcceptance } from './trace-acceptance.ts'
import type { Witness } from './witness.ts'

export const SEND_BYTES_MAX = 64 * 1024 * 1024
export const RECIPIENTS_IN_BODY_MAX = 100_000

/** The dependencies of the send operations. */
export interface Sending {
  accept: Accept
  routing: Routing
  /** The beginning of every short link, such as `https://sms.example/s`. Known once the service listens. */
  linkUrl: SendContext['linkUrl']
  /** How fast carriers take messages, which a folder beside this one knows. */
  readPaces: ReadPaces
  /** The people of segments, which a folder above this one knows. */
  fromSegments(segmentIds: readonly number[], send: Send): RecipientSource
}

export const SEND_REFUSALS: Partial<Record<RefusalCode, string>> = {
  no_price: 'The price list of the account has no price for any of the numbers.',
  insufficient_credits: 'There are not enough credits; `details` tells required, remaining, missing.',
  sender_not_allowed: 'The sender register does not let the account use this sender; the sentence says why.',
  external_id_already_processed: 'A message with this `external_id` was accepted before.',
  limit_reached: 'The account, or the key of a confirmed send, has spent its credits of the day.',
  not_found: 'There is no such template, draft, or message to replace.',
  state_conflict:
    'The message to replace has begun to leave, the confirmation does not hold, or the Idempotency-Key is in use.'
}

/** Reads the fields of an SMS send, then accepts it or dry-runs it. Shared by all SMS send operations. */
export async function sendOrDryRun(
  sending: Sending,
  request: {
    database: Database
    caller: Caller
    author: Author
    fields: SendFields
    isDryRun: boolean | undefined
    sharedKey?: SharedKey | undefined
    toSource(send: Send): RecipientSource
    /** Where the recipients come from, with the contact lists among them. */
    form: { kind: FormKind; contactlist?: readonly number[] }
    witness?: Witness | undefined
  }
) {
  const { database, caller, author, fields, isDryRun, sharedKey, toSource, form, witness } = request
  const { routing, linkUrl } = sending
  const toSendForm = () => toForm(form, fields, sendFields)
  const send = await readSend(database, fields, { caller, author, routing, linkUrl, form: toSendForm, witness })
  const keeping = sharedKey && { key: sharedKey, toAnswer: (accepted: Accepted) => accepted }
  return acceptOrDryRun(sending, { database, send, source: toSource(send), isDryRun, keeping })
}

/** Accepts a send, or dry-runs it. */
export async function acceptOrDryRun(
  { accept, routing, readPaces }: Sending,
  {
    database,
    send: given,
    source,
    isDryRun,
    keeping
  }: {
    database: Database
    send: Send
    source: RecipientSource
    isDryRun: boolean | undefined
    keeping: Keeping | undefined
  }
) {
  refusePastDeadline(given)
  const send = await withPace(database, given, source)
  if (isDryRun) return dryRun(database, send, source, { routing, readPaces })
  const accepted = await takingDraft(database, send, async (database) => {
    const { replaces } = send
    if (replaces === undefined) return accept(database, send, source, keeping)
    return traceAcceptance(send, (send) =>
      acceptInstead(database, { ...send, replaces }, (database, send) =>
        storeMany(database, send, source, routing, { isExact: true })
      )
    )
  })
  return send.options?.deadline === undefined ? accepted : withLateness(database, accepted, send, readPaces)
}

/**
 * The answer to a send with a deadline: it is compared with what waits in the queue now. The message is stored already, so a forecast
 * that fails must not make its answer an error.
 */
async function withLateness(
  database: Database,
  accepted: Accepted,
  send: Send,
  readPaces: ReadPaces
): Promise<Accepted> {
  try {
    const { accountId, options } = send
    const message = await findMessage(database, { accountId, id: accepted.message_id })
    if (!message) return accepted
    const finishesAt = await forecastFinish(database, { ...message, accountId }, { caller: send, readPaces })
    const warnings = [...(accepted.warnings ?? []), ...(finishesAt ? lateWarnings(finishesAt, options) : [])]
    return { ...accepted, ...(warnings.length > 0 && { warnings }) }
  } catch (error) {
    if (database.isTransaction) throw error
    return accepted
  }
}

interface Listed {
  recipients?: readonly unknown[]
  contacts?: readonly unknown[]
  contactlist?: readonly unknown[]
  replaces?: unknown
  draft?: unknown
  deadline?: unknown
  segments?: readonly unknown[]
}

/** Sends of few recipients share a transaction, also with an Idempotency-Key. A dry run does not. */
export const SHARED_IF_FEW = {
  takes({
    body: { recipients, contacts, contactlist, segments, replaces, draft, deadline },
    query
  }: {
    body: Listed
    query: Static<typeof ConfirmableQuery>
  }) {
    if (query.confirmation !== undefined) return false
    if (replaces !== undefined || draft !== undefined || deadline !== undefined) return false
    const given = recipients ?? contacts
    return given !== undefined && given.length <= FEW_MAX && !contactlist && !segments && !query.resumeBefore
  },
  correct<Answer extends { credits_remaining: number }>(answer: Answer, difference: number): Answer {
    return { ...answer, credits_remaining: answer.credits_remaining + difference }
  }
}

const recipientNumbers = Type.Array(Type.String({ maxLength: 255 }), {
  minItems: 1,
  maxItems: RECIPIENTS_IN_BODY_MAX,
  description: 'Phone numbers, national or international, 1 to 100,000.'
})

const example = {
  body: { recipients: ['06 39 98 00 13', '+33639980014'], content: 'Bonjour !', sender: 'CHAPPE' },
  answer: statusExample,
  others: { dry_run: dryRunExample }
}

export const sendSms = (sending: Sending) =>
  operation({
    route: 'POST /messages/sms',
    id: 'sendSms',
    tag: 'Messages',
    permission: 'send_confirmed',
    anyCallerRepeats: true,
    summary: 'Send SMS, manual',
    description:
      'Sends one text to up to 100,000 numbers. Repeated, opted-out and invalid numbers are dropped and counted. The credits of all that is accepted are taken at once; without enough, nothing happens. After a 200 the message survives a crash at any instant.',
    body: Type.Object(
      { recipients: recipientNumbers, ...sendFields },
      { $id: 'MessagesSimpleDto', ...needs(SMS_CONTENTS) }
    ),
    missing: missingContent,
    query: ConfirmableQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    answer: SendAnswer,
    example,
    refusals: SEND_REFUSALS,
    shared: SHARED_IF_FEW,
    handle: ({ caller, body, query, database, sharedKey, author }) =>
      confirming('sendSms', { caller, body, query, database }, (database, witness) =>
        sendOrDryRun(sending, {
          database,
          sharedKey,
          caller,
          author,
          fields: body,
          isDryRun: query.resumeBefore,
          toSource: () => fromNumbers(body.recipients),
          form: { kind: 'numbers' },
          witness
        })
      )
  })

const OldBody = Type.Object(
  {
    recipients: recipientNumbers,
    ...sendFields,
    message_type: Type.Optional(Type.Integer({ description: '1, for SMS.' }))
  },
  { $id: 'MessagesOldDto', ...needs(SMS_CONTENTS) }
)

export const sendSmsOldWay = (sending: Sending) =>
  operation({
    route: 'POST /messages',
    id: 'sendSmsOldWay',
    tag: 'Messages',
    permission: 'send',
    anyCallerRepeats: true,
    isDeprecated: true,
    summary: 'Send SMS, manual (older address)',
    description: 'Deprecated: the same as `POST /messages/sms`. Also takes `message_type` (1, for SMS).',
    body: OldBody,
    missing: missingContent,
    query: SendQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    answer: SendAnswer,
    example,
    refusals: SEND_REFUSALS,
    shared: SHARED_IF_FEW,
    async handle({ caller, body, query, database, sharedKey, author }) {
      const { recipients, message_type, ...fields } = body
      if (message_type !== undefined && message_type !== 1) {
        throw invalidInput([{ path: 'message_type', message: 'must be 1, for SMS' }])
      }
      return sendOrDryRun(sending, {
        database,
        sharedKey,
        caller,
        author,
        fields,
        isDryRun: query.resumeBefore,
        toSource: () => fromNumbers(recipients),
        form: { kind: 'numbers' }
      })
    }
  })
