import Type from 'typebox'
import { needs } from '../http/described-schemas.ts'
import { operation } from '../http/operation.ts'
import { ConfirmableQuery, confirming } from './confirmation.ts'
import { fromObjects, type RecipientWithVariables } from './recipient-sources.ts'
import { missingContent, SMS_CONTENTS, sendFields } from './send.ts'
import { dryRunExample, SendAnswer, statusExample } from './send-answer.ts'
import {
  RECIPIENTS_IN_BODY_MAX,
  SEND_BYTES_MAX,
  SEND_REFUSALS,
  type Sending,
  SHARED_IF_FEW,
  sendOrDryRun
} from './send-sms.ts'

/** A number with variables of its own. */
export const RecipientObject = Type.Unsafe<RecipientWithVariables>(
  Type.Object(
    { recipient: Type.String({ maxLength: 255 }) },
    {
      $id: 'RecipientWithVariables',
      additionalProperties: true,
      // The properties are not validated here: the content decides later which of them are needed.
      description:
        'A number, and any further properties: the variables. One that the content names must be text of at most 2,000 characters, or a number; others are ignored, whatever they hold.'
    }
  )
)

export const sendSmsDynamic = (sending: Sending) =>
  operation({
    route: 'POST /messages/sms/dynamic',
    id: 'sendSmsDynamic',
    tag: 'Messages',
    permission: 'send_confirmed',
    anyCallerRepeats: true,
    summary: 'Send SMS, dynamic',
    description:
      'Sends a text of their own to each of up to 100,000 numbers: `#name#` in the content is replaced by that property of the recipient. Segments and credits are counted after that. A `#name#` that no recipient has is a 400; one that only some have is empty for the others.',
    body: Type.Object(
      {
        recipients: Type.Array(RecipientObject, { minItems: 1, maxItems: RECIPIENTS_IN_BODY_MAX }),
        ...sendFields
      },
      { $id: 'MessagesDynamicDto', ...needs(SMS_CONTENTS) }
    ),
    missing: missingContent,
    query: ConfirmableQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    answer: SendAnswer,
    example: {
      body: {
        recipients: [
          { recipient: '06 39 98 00 13', prenom: 'Léa' },
          { recipient: '06 39 98 00 14', prenom: 'Max' }
        ],
        content: 'Bonjour #prenom# !'
      },
      answer: statusExample,
      others: { dry_run: dryRunExample }
    },
    refusals: SEND_REFUSALS,
    shared: SHARED_IF_FEW,
    handle: ({ caller, body, query, database, sharedKey, author }) =>
      confirming('sendSmsDynamic', { caller, body, query, database }, (database, witness) => {
        const { recipients, ...fields } = body
        return sendOrDryRun(sending, {
          database,
          sharedKey,
          caller,
          author,
          fields,
          isDryRun: query.resumeBefore,
          toSource: (send) => fromObjects(recipients, send),
          form: { kind: 'dynamic' },
          witness
        })
      })
  })
