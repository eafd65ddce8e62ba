import Type from 'typebox'
import { invalidInput } from '../errors.ts'
import { anyOfThese, needs } from '../http/described-schemas.ts'
import { operation } from '../http/operation.ts'
import { acceptLaterOrInstead, freezeRcs, isLater, SEGMENT_CONFLICT, toAudience } from './accept-later.ts'
import { ContactListIds, SegmentIds } from './audience-fields.ts'
import { ConfirmableQuery, confirming, refuseUnshown } from './confirmation.ts'
import { toForm } from './message-form.ts'
import { missingRcsContent, RCS_CONTENTS, rcsSendFields, readRcsSend, smsOnlyProblems } from './rcs-send.ts'
import { fromObjects } from './recipient-sources.ts'
import { RcsSendAnswer, rcsDryRunExample, rcsStatusExample, withRcsCount } from './send-answer.ts'
import {
  acceptOrDryRun,
  RECIPIENTS_IN_BODY_MAX,
  SEND_BYTES_MAX,
  SEND_REFUSALS,
  type Sending,
  SHARED_IF_FEW
} from './send-sms.ts'
import { RecipientObject } from './send-sms-dynamic.ts'

const CONTACTS_LATER =
  'must not be given together with segments for a scheduled message: send it to them as another message'

const contacts = Type.Array(RecipientObject, {
  minItems: 1,
  maxItems: RECIPIENTS_IN_BODY_MAX,
  description: 'Numbers with their variables, 1 to 100,000.'
})

export const sendRcs = (sending: Sending) =>
  operation({
    route: 'POST /messages/rcs',
    id: 'sendRcs',
    tag: 'Messages',
    permission: 'send_confirmed',
    anyCallerRepeats: true,
    summary: 'Send RCS',
    description:
      'Sends a text, a card or a carousel to numbers, to everybody on contact lists or in segments, or all of these; `#name#` is replaced by that property of the recipient, or field of the contact. Who can’t be reached by RCS gets the fallback by SMS, if there is one: then the SMS is charged and the RCS is not. Repeated, opted-out and invalid numbers are dropped and counted. After a 200 the message survives a crash at any instant.',
    body: Type.Object(
      {
        contacts: Type.Optional(contacts),
        contactlist: Type.Optional(ContactListIds),
        segments: Type.Optional(SegmentIds),
        ...rcsSendFields
      },
      {
        $id: 'MessagesRcsDto',
        ...needs(RCS_CONTENTS, anyOfThese({ contacts, contactlist: ContactListIds, segments: SegmentIds }))
      }
    ),
    missing: ({ contacts, contactlist, segments, ...fields }) => [
      ...(contacts === undefined && contactlist === undefined && segments === undefined
        ? [{ path: 'contacts', message: 'is missing: give contacts, contactlist or both' }]
        : []),
      ...missingRcsContent(fields),
      ...smsOnlyProblems(fields)
    ],
    query: ConfirmableQuery,
    bodyBytesMax: SEND_BYTES_MAX,
    isLongWork: ({ contactlist, segments }) => contactlist !== undefined || segments !== undefined,
    answer: RcsSendAnswer,
    example: {
      body: {
        contacts: [
          { recipient: '06 39 98 00 13', prenom: 'Léa' },
          { recipient: '06 39 98 00 14', prenom: 'Max' }
        ],
        type: 'card',
        data: {
          title: 'Bonjour #prenom# !',
          description: 'Votre commande est prête.',
          media_message_url: 'https://shop.example/colis.jpg',
          choices: [{ type: 'url', title: 'Suivre', url: '#SHORTURL#' }]
        },
        fallback: { content: 'Bonjour #prenom#, votre commande est prête : #SHORTURL#', sender: 'CHAPPE' },
        shorturl: { mode: 'unique', url: 'https://shop.example/commande?client=#prenom#' }
      },
      answer: rcsStatusExample,
      others: { dry_run: rcsDryRunExample }
    },
    refusals: {
      ...SEND_REFUSALS,
      state_conflict: SEGMENT_CONFLICT,
      not_found:
        'There is no such contact list, segment, RCS template, draft, message to replace, or agent that this account may use.'
    },
    shared: SHARED_IF_FEW,
    handle: ({ caller, body, query, database, sharedKey, author }) =>
      confirming('sendRcs', { caller, body, query, database }, async (database, witness) => {
        const { contacts, contactlist, segments, ...fields } = body
        const audience = { contactlist: contactlist?.map(Number), segments }
        const form = () => toForm({ kind: 'rcs', ...audience }, fields, rcsSendFields)
        const send = await readRcsSend(database, fields, { caller, author, ...sending, form, witness })
        const given = contacts ? [fromObjects(contacts, send, 'contacts')] : []
        const source = toAudience(sending, audience, send, given)
        if (segments && isLater(send)) refuseUnshown(witness)
        if (segments && isLater(send) && !query.resumeBefore) {
          if (contacts) throw invalidInput([{ path: 'contacts', message: CONTACTS_LATER }])
          const request = { ...(await freezeRcs(database, fields, caller)), ...audience }
          const later = { send, source, segmentIds: segments, request }
          return withRcsCount(await acceptLaterOrInstead(database, later, sending.routing))
        }
        const answer = await acceptOrDryRun(sending, {
          database,
          send,
          source,
          isDryRun: query.resumeBefore,
          keeping: sharedKey && { key: sharedKey, toAnswer: withRcsCount }
        })
        return withRcsCount(answer)
      })
  })
