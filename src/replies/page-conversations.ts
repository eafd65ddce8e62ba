import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { toSearchedDigits } from '../phone-numbers/search.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { listStopped } from '../stops/stops.store.ts'
import { ConversationPage, conversationExample, toConversationView } from './conversation.ts'
import { countConversations, listConversationsOfPage } from './replies.store.ts'

export const pageConversations = operation({
  route: 'GET /conversations',
  id: 'pageConversations',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Conversations, paginated',
  description:
    'One item for each phone that wrote to the account, with its last reply and the last message that left to it. The phone that wrote last comes first. A phone that never replied has no conversation.',
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only with a reply that contains this text, or a number with these digits.'
      })
    ),
    recipient: Type.Optional(
      Type.String({ maxLength: 255, description: 'Only the one with this number, national or international.' })
    ),
    closed: Type.Optional(
      Type.Boolean({ description: 'Only those that are closed, or with `false` those that are open.' })
    ),
    unread: Type.Optional(Type.Boolean({ description: 'Only those with, or without, a reply that nobody has read.' })),
    assigned_to: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: ID_MAX,
        description: 'Only those of this person of the account; 0 for those that nobody has.'
      })
    )
  }),
  answer: ConversationPage,
  example: {
    answer: {
      items: [conversationExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller: { accountId, country }, query, database }) {
    const { search, recipient, closed: isClosed, unread: isUnread, assigned_to: personId } = query
    const scope = {
      accountId,
      // A reply may come from a sender that is no number.
      phone: recipient && (parsePhoneNumber(recipient, country)?.e164 ?? recipient),
      ...(search?.trim() && { search: search.trim(), searchedDigits: toSearchedDigits(search) }),
      isClosed,
      isUnread,
      assignedTo: personId === 0 ? null : personId
    }
    const totalItems = await countConversations(database, scope)
    const page = await listConversationsOfPage(database, scope, pageWindow({ ...query, totalItems }))
    const phones = page.map(({ lastReply }) => lastReply.phone)
    const stopped = await listStopped(database, { accountId, phones })
    return toPage(
      page.map((conversation) => toConversationView(conversation, stopped)),
      { ...query, totalItems }
    )
  }
})
