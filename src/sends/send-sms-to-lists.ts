import Type from 'typebox'
import { ID_MAX, operation } from '../http/operation.ts'
import { fromLists } from './recipient-sources.ts'
import { missingContent, sendFields } from './send.ts'
import { SendAnswer, SendQuery, statusExample } from './send-answer.ts'
import { SEND_BYTES_MAX, SEND_REFUSALS, type Sending, sendOrDryRun } from './send-sms.ts'

const LISTS_MAX = 100

export const ContactListIds = Type.Array(
  Type.Union([
    Type.Integer({ minimum: 1, maximum: ID_MAX }),
    Type.String({ pattern: '^[1-9]\\d{0,14}$', 'x-words': 'the id of a contact list, such as 12' })
  ]),
  {
    minItems: 1,
    maxItems: LISTS_MAX,
    description: 'Ids of contact lists, up to 100.'
  }
)

const body = Type.Object({ contactlist: ContactListIds, ...sendFields }, { $id: 'MessagesContactListDto' })

const sendToListsAt =
  <Route extends `POST /${string}`>(route: Route, named: { id: string; summary: string; note: string }) =>
  (sending: Sending) =>
    operation({
      route,
      id: named.id,
      tag: 'Messages',
      permission: 'send',
      summary: named.summary,
      description: `${named.note}Sends to everybody on the lists, as they are at this moment; up to 1,000,000 in all. \`#champ_nom#\`, \`#prenom#\`, \`#ville#\` and so on are replaced by the fields of the contact.`,
      body,
      missing: missingContent,
      query: SendQuery,
      bodyBytesMax: SEND_BYTES_MAX,
      isLongWork: true,
      answer: SendAnswer,
      example: { body: { contactlist: [3], content: 'Bonjour #prenom# !' }, answer: statusExample },
      refusals: { ...SEND_REFUSALS, not_found: 'There is no such contact list, template, or message to replace.' },
      handle: ({ caller, body: { contactlist, ...fields }, query, database, author }) =>
        sendOrDryRun(sending, {
          database,
          caller,
          author,
          fields,
          isDryRun: query.resumeBefore,
          toSource: (send) => fromLists(contactlist.map(Number), send),
          form: { kind: 'lists', contactlist: contactlist.map(Number) }
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
  note: 'Deprecated: the same as `POST /messages/sms/contactlist`. '
})
