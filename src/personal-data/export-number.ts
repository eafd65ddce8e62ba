import Type from 'typebox'
import { listCapabilitiesOfPhone } from '../carriers/rcs-capabilities.store.ts'
import { ConsentView, consentExample, toConsentView } from '../consents/consent.ts'
import { listConsentsByPhone } from '../consents/consents.store.ts'
import { ContactWithListView, contactExample, toContactWithListView } from '../contacts/contact.ts'
import { listContactsByPhone } from '../contacts/contacts.store.ts'
import type { Sql } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { listRecipientsByPhone } from '../recipients/erasures.store.ts'
import { toParsedRcs, toRcsRecipientView } from '../recipients/rcs-recipient.ts'
import { toSmsRecipientView } from '../recipients/recipient.ts'
import { RcsRecipientView, recipientExample } from '../recipients/recipient-view.ts'
import { listRepliesByPhone } from '../replies/replies.store.ts'
import { ReplyView, replyExample, toReplyView } from '../replies/reply.ts'
import { Nullable } from '../schemas/nullable.ts'
import { decodeBody } from '../smpp-server/codings.ts'
import { listOpenPartsByPhone } from '../smpp-server/parts.store.ts'
import { StopView, stopExample, toStopView } from '../stops/stop.ts'
import { findStop, listStopped } from '../stops/stops.store.ts'
import { listEventsByPhone } from '../webhooks/erasures.store.ts'
import { FeedItemView, feedItemExample, toFeedItem } from '../webhooks/feed.ts'
import { draftsWith } from './erase-drafts.ts'

type OpenPart = Awaited<ReturnType<typeof listOpenPartsByPhone>>[number]

export const exportNumber = operation({
  route: 'GET /contacts/by-number/{number}',
  id: 'exportNumber',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Export a number',
  description: 'Everything the account holds about a number, for a person who asks for their data.',
  answer: Type.Object({
    recipient: Type.String({ description: 'The number, in E.164.' }),
    contacts: Type.Array(ContactWithListView),
    is_stopped: Type.Boolean({ description: 'Whether the number is opted out, also when only its hash is left.' }),
    stop: Nullable(StopView),
    consents: Type.Array(ConsentView, { description: 'Consents of the number, newest first.' }),
    replies: Type.Array(ReplyView),
    messages: Type.Array(
      Type.Object({
        message_id: Type.Integer(),
        ...RcsRecipientView.properties,
        clicked_at: Nullable(Type.String({ format: 'date-time', description: 'When the tracked link was opened.' }))
      }),
      { description: 'Messages to the number, oldest first.' }
    ),
    parts: Type.Array(
      Type.Object({
        message_id: Type.Integer({ description: 'The id that SMPP was answered.' }),
        sender: Type.String(),
        part: Type.Integer(),
        parts: Type.Integer(),
        content: Type.String({ description: 'Empty for a part that was given up.' }),
        created_at: Type.String({ format: 'date-time' })
      }),
      { description: 'Parts of texts that came over SMPP and are no message yet, oldest first.' }
    ),
    drafts: Type.Array(Type.Object({ draft_id: Type.Integer(), name: Type.String() }), {
      description: 'Drafts that have the number among their recipients.'
    }),
    events: Type.Array(FeedItemView, { description: 'Events about the number, oldest first.' }),
    rcs: Type.Array(
      Type.Object({
        carrier: Type.String(),
        is_capable: Type.Boolean(),
        checked_at: Type.String({ format: 'date-time' })
      }),
      { description: 'The RCS capability of the number, by carrier.' }
    )
  }),
  example: {
    answer: {
      recipient: '+33639980006',
      contacts: [contactExample],
      is_stopped: true,
      stop: stopExample,
      consents: [consentExample],
      replies: [replyExample],
      messages: [{ message_id: 7, ...recipientExample, channel: 'sms', read_at: null, clicked_at: null }],
      parts: [
        {
          message_id: 8,
          sender: 'CHAPPE',
          part: 1,
          parts: 2,
          content: 'Bonjour ',
          created_at: '2026-11-15T09:30:00.000Z'
        }
      ],
      drafts: [{ draft_id: 4, name: 'Winter sale' }],
      events: [feedItemExample],
      rcs: [{ carrier: 'rcs', is_capable: true, checked_at: '2026-11-15T09:30:00.000Z' }]
    }
  },
  refusals: { invalid_input: 'That is not a phone number.' },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, phone: readNumber(params.number, caller.country) }
    const contacts = await listContactsByPhone(database, key)
    const stop = await findStop(database, key)
    const stopped = await listStopped(database, { accountId: key.accountId, phones: [key.phone] })
    const consents = await listConsentsByPhone(database, key)
    const replies = await listRepliesByPhone(database, key)
    const messages = await listRecipientsByPhone(database, key)
    const rcs = await findContents(
      database,
      messages.filter(({ messageChannel }) => messageChannel === 'rcs').map(({ messageId }) => ({ ...key, messageId }))
    )
    const events = await listEventsByPhone(database, key)
    const parts = await listOpenPartsByPhone(database, key)
    const drafts: { draft_id: number; name: string }[] = []
    for await (const { id, name } of draftsWith(database, { ...key, country: caller.country }, { isLocked: false })) {
      drafts.push({ draft_id: id, name })
    }
    // An account that holds nothing about the number must not learn what other accounts caused.
    const isHeld =
      [contacts, consents, replies, messages, events, parts, drafts].some(({ length }) => length > 0) ||
      stop !== undefined
    const capabilities = isHeld ? await listCapabilitiesOfPhone(database, key.phone) : []
    return {
      recipient: key.phone,
      contacts: contacts.map(toContactWithListView),
      is_stopped: stopped.size > 0,
      stop: stop ? toStopView(stop) : null,
      consents: consents.map(toConsentView),
      replies: replies.map(toReplyView),
      messages: messages.map(({ clickedAt, messageContent: content, messageState: state, ...recipient }) => {
        const parsed = rcs.get(recipient.messageId)
        return {
          message_id: recipient.messageId,
          ...(parsed
            ? toRcsRecipientView(recipient, { state }, parsed)
            : { ...toSmsRecipientView(recipient, { content, state }), channel: 'sms' as const, read_at: null }),
          clicked_at: clickedAt?.toISOString() ?? null
        }
      }),
      parts: parts.map(toPartView),
      drafts,
      events: events.map(toFeedItem),
      rcs: capabilities.map(({ carrier, isCapable, checkedAt }) => ({
        carrier,
        is_capable: isCapable,
        checked_at: checkedAt.toISOString()
      }))
    }
  }
})

function toPartView({ smppId, source, position, total, body, fields, createdAt }: OpenPart) {
  return {
    message_id: smppId,
    sender: source,
    part: position,
    parts: total,
    // Binary data has no parts.
    content: fields.coding === 'binary' ? '' : decodeBody(body, fields.coding),
    created_at: createdAt.toISOString()
  }
}

/** The content of RCS messages, by their ids. */
async function findContents(sql: Sql, keys: { accountId: number; messageId: number }[]) {
  return new Map((await listRcsMessages(sql, keys)).map((message) => [message.messageId, toParsedRcs(message)]))
}
