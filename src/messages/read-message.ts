import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { MessageView, messageExample, toMessageView } from './message-view.ts'
import { findMessage } from './messages.store.ts'

export const readMessage = operation({
  route: 'GET /messages/{id}',
  id: 'readMessage',
  tag: 'Messages',
  permission: 'read',
  summary: 'Message details',
  description: 'A message and where its recipients are: each of them is counted in exactly one place of `summary`.',
  answer: MessageView,
  example: { answer: messageExample },
  async handle({ caller, params, database }) {
    const message = await findMessage(database, { accountId: caller.accountId, id: params.id })
    if (!message) throw notFound('message')
    return toMessageView(message, caller.timeZone)
  }
})
