import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { countReplies, listRepliesOfPage } from './replies.store.ts'
import { ReplyPage, replyExample, toReplyView } from './reply.ts'

export const pageReplies = operation({
  route: 'GET /messages/replies',
  id: 'pageReplies',
  tag: 'Messages',
  permission: 'read',
  summary: 'Replies, paginated',
  description: 'What people wrote back, or wrote to one of our numbers, newest first.',
  query: Type.Object({
    ...PageQuery.properties,
    message_id: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only replies to this message.' })
    )
  }),
  answer: ReplyPage,
  example: {
    answer: {
      items: [replyExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  mayLag: true,
  async handle({ caller, query, database }) {
    const { message_id: messageId, ...page } = query
    const scope = { accountId: caller.accountId, messageId }
    const totalItems = await countReplies(database, scope)
    const replies = await listRepliesOfPage(database, scope, pageWindow({ ...page, totalItems }))
    return toPage(replies.map(toReplyView), { ...page, totalItems })
  }
})
