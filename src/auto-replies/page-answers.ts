import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { countAnswers, listAnswersOfPage } from './answers.store.ts'
import { findAutoReply } from './auto-replies.store.ts'
import { AnswerPage, answerExample, toAnswerView } from './auto-reply.ts'

export const pageAutoReplyAnswers = operation({
  route: 'GET /auto-replies/{id}/answers',
  id: 'pageAutoReplyAnswers',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The history of an auto-reply',
  description: 'The replies that the rule fitted, newest first: with the message that was sent, or why none was.',
  query: PageQuery,
  answer: AnswerPage,
  example: {
    answer: {
      items: [answerExample],
      meta: { itemCount: 1, totalItems: 1, itemsPerPage: 10, totalPages: 1, currentPage: 1 }
    }
  },
  async handle({ caller: { accountId }, params: { id }, query, database }) {
    const key = { accountId, id }
    if (!(await findAutoReply(database, key))) throw notFound('auto-reply')
    const totalItems = await countAnswers(database, key)
    const answers = await listAnswersOfPage(database, key, pageWindow({ ...query, totalItems }))
    return toPage(answers.map(toAnswerView), { ...query, totalItems })
  }
})
