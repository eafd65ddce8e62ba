import Type from 'typebox'
import type { Database } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findRole } from '../people/memberships.store.ts'
import { readNumber } from '../phone-numbers/path-number.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { Nullable } from '../schemas/nullable.ts'
import { listStopped } from '../stops/stops.store.ts'
import { ConversationView, conversationExample, toConversationView } from './conversation.ts'
import { lockConversation, lockLastReplies, updateConversation as updateRow } from './conversation-states.store.ts'
import { listConversationsOfPage } from './replies.store.ts'

export const updateConversation = operation({
  route: 'PUT /conversations/{number}',
  id: 'updateConversation',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Read, assign or close a conversation',
  description:
    'Changes the fields that are given, for all people of the account. A conversation that is closed opens again with the next reply.',
  body: Type.Object(
    {
      read: Type.Optional(
        Type.Boolean({ description: 'True: all replies were read. False: the last one counts as unread again.' })
      ),
      closed: Type.Optional(Type.Boolean()),
      assigned_to: Type.Optional(
        Nullable(
          Type.Integer({
            minimum: 1,
            maximum: ID_MAX,
            description: 'The id of a person of the account, as GET /people has it. Null: nobody.'
          })
        )
      )
    },
    { $id: 'ConversationChange' }
  ),
  answer: ConversationView,
  example: { body: { read: true, assigned_to: 4 }, answer: conversationExample },
  refusals: {
    invalid_input: 'That is not a phone number.',
    not_found: 'This number never replied to the account, or `assigned_to` is not a person of the account.'
  },
  async handle({ caller, params, body: { read, closed, assigned_to: assignedTo }, database, record }) {
    const { accountId } = caller
    const key = { accountId, phone: readNumber(params.number, caller.country) }
    return database.begin(async (database) => {
      const replies = await lockLastReplies(database, key)
      if (!replies) throw notFound('conversation')
      if (assignedTo) await refuseStranger(database, { accountId, personId: assignedTo })
      const before = await lockConversation(database, key)
      const { lastId, previousId } = replies
      const after = {
        readId: read === undefined ? before.readId : read ? lastId : Math.min(before.readId, previousId),
        closedId: closed === undefined ? before.closedId : closed ? lastId : null,
        assignedTo: assignedTo === undefined ? before.assignedTo : assignedTo
      }
      await updateRow(database, { ...key, ...after })
      const wasClosed = before.closedId === lastId
      const isClosed = after.closedId === lastId
      // Not the number, which may be erased one day. That somebody has read a reply is no act.
      if (wasClosed !== isClosed || before.assignedTo !== after.assignedTo) {
        await record(database, {
          object: { kind: 'reply', id: lastId },
          changes: { closed: [wasClosed, isClosed], assigned_to: [before.assignedTo, after.assignedTo] }
        })
      }
      const [conversation] = await listConversationsOfPage(database, { accountId, phone: key.phone }, FIRST)
      if (!conversation) throw notFound('conversation')
      const stopped = await listStopped(database, { accountId, phones: [key.phone] })
      return toConversationView(conversation, stopped)
    })
  }
})

const FIRST = { offset: 0, limit: 1, isFromEnd: false }

async function refuseStranger(database: Database, member: { accountId: number; personId: number }): Promise<void> {
  if ((await findRole(database, member)) === undefined) throw notFound('person')
}
