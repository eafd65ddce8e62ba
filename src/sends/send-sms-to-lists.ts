import Type from 'typebox'
import { anyOfThese, needs } from '../http/described-schemas.ts'
import { operation } from '../http/operation.ts'
import { acceptLaterOrInstead, freezeSms, isLater, SEGMENT_CONFLICT, toAudience } from './accept-later.ts'
import { ContactListIds, SegmentIds } from './audience-fields.ts'
import { ConfirmableQuery, confirming, refuseUnshown } from './confirmation.ts'
import { toForm } from './message-form.ts'
import { missingContent, readSend, SMS_CONTENTS, sendFields } from './send.ts'
import { dryRunExample, SendAnswer, statusExample } from './send-answer.ts'
import { acceptOrDryRun, SEND_BYTES_MAX, SEND_REFUSALS, type Sending } from './send-sms.ts'

const body = Type.Object(
  { contactlist: Type.Optional(ContactListIds), segments: Type.Optional(SegmentIds), ...sendFields },
  {
    $id: 'MessagesContactListDto',
    ...needs(SMS_CONTENTS, anyOfThese({ contactlist: ContactListIds, segments: SegmentIds }))
  }
)

const sendToListsAt =
  <Route extends `POST /${string}`>(
    route: Route,
    named: { id: string; summary: string; note: string; isDeprecated?: true }
  ) =>
  (sending: Sending) =>
    operation({
      route,
      id: named.id,
      tag: 'Messages',
      permission: 'send_confirmed',
      anyCallerRepeats: true,
      summary: named.summary,
      ...(named.isDeprecated && { isDeprecated: true }),
      description: `${named.note}Sends to everybody on the lists, as they are at this moment, and to everybody who fits the \`segments\`; up to 1,000,000 in all. \`#champ_nom#\`, \`#prenom#\`, \`#ville#\` and so on are replaced by the fields of the contact.`,
      body,
      missing: ({ contactlist, segments, ...fields }) => [
        ...(contactlist === undefined && segments === undefined
          ? [{ path: 'contactlist', message: 'is missing' }]
          : []),
        ...missingContent(fields)
      ],
      query: ConfirmableQuery,
      bodyBytesMax: SEND_BYTES_MAX,
      isLongWork: true,
      answer: SendAnswer,
      example: {
        body: { contactlist: [3], content: 'Bonjour #prenom# !' },
        answer: statusExample,
        others: { dry_run: dryRunExample }
      },
      refusals: {
        ...SEND_REFUSALS,
        not_found: 'There is no such contact list, segment, template, draft, or message to replace.',
        state_conflict: SEGMENT_CONFLICT
      },
      handle: ({ caller, body, query, database, author }) =>
        confirming('sendSmsToLists', { caller, body, query, database }, async (database, witness) => {
          const { contactlist, segments, ...fields } = body
          const { routing, linkUrl } = sending
          const audience = { contactlist: contactlist?.map(Number), segments }
          const form = () => toForm({ kind: 'lists', ...audience }, fields, sendFields)
          const send = await readSend(database, fields, { caller, author, routing, linkUrl, form, witness })
          const source = toAudience(sending, audience, send)
          if (segments && isLater(send)) refuseUnshown(witness)
          if (segments && isLater(send) && !query.resumeBefore) {
            const request = { ...(await freezeSms(database, fields, caller)), ...audience }
            return acceptLaterOrInstead(database, { send, source, segmentIds: segments, request }, routing)
          }
          return acceptOrDryRun(sending, { database, send, source, isDryRun: query.resumeBefore, keeping: undefined })
        })
    })

export const sendSmsToLists = sendToListsAt('POST /messages/sms/contactlist', {
  id: 'sendSmsToLists',
  summary: 'Send SMS to contact lists',
  note: ''
})

export const sendSmsToListsOldWay = sendToListsAt('POST /messages/contactlist', {
  id: 'sendSmsToListsOldWay',
  summary: 'Send SMS to contact lists (older address)',
  isDeprecated: true,
  note: 'Deprecated: the same as `POST /messages/sms/contactlist`. '
})
