import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
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
  query: PageQuery,
  answer: ConversationPage,
  example: {
    answer: {
      items: [conversationExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller: { accountId }, query, database }) {
    const totalItems = await countConversations(database, accountId)
    const page = await listConversationsOfPage(database, accountId, pageWindow({ ...query, totalItems }))
    const phones = page.map(({ lastReply }) => lastReply.phone)
    const stopped = await listStopped(database, { accountId, phones })
    return toPage(
      page.map((conversation) => toConversationView(conversation, stopped)),
      { ...query, totalItems }
    )
  }
})
