import Type, { type Static } from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import type { Sql } from '../database/database.ts'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findMessage } from '../messages/messages.store.ts'
import { listRcsMessages } from '../messages/rcs-messages.store.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { toParsedRcs, toRcsRecipientView } from '../recipients/rcs-recipient.ts'
import { channelOf, toRecipientId, toSmsRecipientView } from '../recipients/recipient.ts'
import { readSteps, StepView, timelineExample } from '../recipients/timeline.ts'
import type { Reply } from '../replies/reply.ts'
import { Nullable } from '../schemas/nullable.ts'
import { findOperatorStop } from '../stops/operator-stops.store.ts'
import { STOP_WAYS, type Stop } from '../stops/stop.ts'
import { CURSOR_PATTERN, cutPage, type FoundItem, readCursor } from './look-up-page.ts'
import { listAccountNames, listRepliesOf, listSentTo, listStopsOf, type SentTo } from './look-ups.store.ts'

const FoundView = Type.Object(
  {
    kind: Type.Enum(['message', 'reply', 'stop']),
    at: Type.String({ format: 'date-time', description: 'When it was accepted, or came in.' }),
    account_id: Type.Integer(),
    account_name: Type.String(),
    channel: Nullable(Type.Enum(['sms', 'rcs'], { description: 'Null for a STOP.' })),
    message_id: Nullable(Type.Integer({ description: 'The message, or the one that a reply or a STOP answers.' })),
    recipient_id: Nullable(Type.Integer({ description: 'The recipient of a message, as its timeline names it.' })),
    sender: Nullable(Type.String({ description: 'The sender of a message; the number that a reply was written to.' })),
    content: Type.String({ description: 'The text that was sent or written; empty for a STOP.' }),
    deliver: Nullable(Type.Integer({ description: 'The state of a message, as in its recipients.' })),
    deliver_label: Nullable(Type.String()),
    errorcode: Nullable(Type.String()),
    carrier: Nullable(Type.String({ description: 'The carrier that took a message.' })),
    way: Nullable(Type.Enum(STOP_WAYS, { description: 'How a STOP came.' })),
    is_stop: Type.Boolean({ description: 'Whether a reply opts out; true for a STOP.' }),
    timeline: Type.Array(StepView, { description: 'The steps of a message to this number, oldest first.' })
  },
  { $id: 'NumberHistoryItem' }
)
type FoundView = Static<typeof FoundView>

export const lookUpNumber = operation({
  route: 'POST /accounts/by-number',
  id: 'lookUpNumber',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Look up a number over all accounts (operator)',
  description:
    'Messages to a number with their timelines, its replies and its STOPs, of all accounts, newest first. It is for questions of support. Every look-up is written into the audit trail, without the number: into the operator’s, and into that of each account whose data it shows. Ask again with `next` as `before` for what is older.',
  body: Type.Object(
    {
      recipient: Type.String({ minLength: 1, maxLength: 255, description: 'A phone number.' }),
      before: Type.Optional(
        Type.String({
          pattern: CURSOR_PATTERN,
          maxLength: 80,
          description: 'The `next` of an answer.',
          'x-words': 'the next of an answer, such as 7000001-12-3'
        })
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Default: 20.' }))
    },
    { $id: 'NumberLookUp' }
  ),
  answer: Type.Object(
    {
      recipient: Type.String({ description: 'The number, in E.164.' }),
      is_stopped_for_all: Type.Boolean({ description: 'Whether it is on the operator’s own list of STOPs.' }),
      items: Type.Array(FoundView),
      next: Nullable(Type.String({ description: 'The `before` of older items; null when there are none.' }))
    },
    { $id: 'NumberHistory' }
  ),
  example: {
    body: { recipient: '+33639980006' },
    answer: {
      recipient: '+33639980006',
      is_stopped_for_all: false,
      items: [
        {
          kind: 'message',
          at: '2026-11-15T09:30:00.000Z',
          account_id: 7,
          account_name: 'Boulangerie Martin',
          channel: 'sms',
          message_id: 7,
          recipient_id: 7340032,
          sender: 'CHAPPE',
          content: 'Bonjour',
          deliver: 1,
          deliver_label: 'delivered',
          errorcode: '',
          carrier: 'main',
          way: null,
          is_stop: false,
          timeline: timelineExample
        }
      ],
      next: null
    }
  },
  refusals: { ...OPERATOR_ONLY, invalid_input: 'That is not a phone number.' },
  async handle({ caller, body, database, record }) {
    refuseUnlessOperator(caller)
    const phone = parsePhoneNumber(body.recipient, caller.country)?.e164
    if (phone === undefined) throw invalidInput([{ path: 'recipient', message: NOT_A_NUMBER }])
    const limit = body.limit ?? 20
    const before = readCursor(body.before)
    return database.begin(async (database) => {
      const sources = {
        messages: await listSentTo(database, { phone, before: before.message, limit: limit + 1 }),
        replies: await listRepliesOf(database, { phone, beforeId: before.replyId, limit: limit + 1 }),
        stops: await listStopsOf(database, { phone, beforeId: before.stopId, limit: limit + 1 })
      }
      const { found, next } = cutPage(sources, { before, limit })
      const accountIds = [...new Set(found.map(({ row }) => row.accountId))]
      const names = await listAccountNames(database, accountIds)
      const items: FoundView[] = []
      for (const each of found) items.push(await toView(database, each, names.get(each.row.accountId) ?? ''))
      const others = accountIds.filter((id) => id !== caller.accountId)
      // Never the number. An act on another account is in both trails.
      for (const accountId of others) await record(database, { accountId })
      if (others.length === 0) await record(database)
      const isStoppedForAll = (await findOperatorStop(database, phone)) !== undefined
      return { recipient: phone, is_stopped_for_all: isStoppedForAll, items, next }
    })
  }
})

const NO_RECIPIENT = {
  recipient_id: null,
  deliver: null,
  deliver_label: null,
  errorcode: null,
  carrier: null,
  way: null,
  timeline: []
}

async function toView(sql: Sql, found: FoundItem, accountName: string): Promise<FoundView> {
  const { kind, row } = found
  const shared = {
    kind,
    at: row.createdAt.toISOString(),
    account_id: row.accountId,
    account_name: accountName,
    message_id: row.messageId
  }
  switch (kind) {
    case 'message':
      return { ...shared, ...(await toMessageFields(sql, row)) }
    case 'reply':
      return { ...NO_RECIPIENT, ...shared, ...toReplyFields(row) }
    case 'stop':
      return { ...NO_RECIPIENT, ...shared, ...toStopFields(row) }
    default:
      return kind satisfies never
  }
}

async function toMessageFields(sql: Sql, row: SentTo) {
  const key = { accountId: row.accountId, messageId: row.messageId }
  const message = await findMessage(sql, { accountId: row.accountId, id: row.messageId })
  const [rcs] = row.messageChannel === 'rcs' ? await listRcsMessages(sql, [key]) : []
  const state = { state: row.messageState }
  const { content, deliver, deliver_label, errorcode } = rcs
    ? toRcsRecipientView(row, state, toParsedRcs(rcs))
    : toSmsRecipientView(row, { ...state, content: row.messageContent })
  return {
    channel: channelOf(row, { channel: row.messageChannel }),
    recipient_id: toRecipientId(row),
    sender: row.sender,
    content,
    deliver,
    deliver_label,
    errorcode,
    carrier: row.carrier,
    way: null,
    is_stop: false,
    timeline: (message && (await readSteps(sql, { ...key, position: row.position, message }))) ?? []
  }
}

function toReplyFields({ channel, writtenTo, content, isStop }: Reply) {
  return { channel, sender: writtenTo, content, is_stop: isStop }
}

function toStopFields({ sender, way }: Stop) {
  return { channel: null, sender, content: '', way, is_stop: true }
}
