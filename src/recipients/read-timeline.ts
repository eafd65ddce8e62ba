import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findMessage } from '../messages/messages.store.ts'
import { fromRecipientId } from './recipient.ts'
import { readSteps, StepView, timelineExample } from './timeline.ts'

export const readTimeline = operation({
  route: 'GET /messages/{id}/recipients/{recipient_id}/timeline',
  id: 'readTimeline',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Timeline of a recipient',
  description:
    'Every step of one recipient with its time, oldest first. A step that repeats, such as a retry, is told once, with how often it was.',
  answer: Type.Array(StepView),
  example: {
    answer: timelineExample
  },
  mayLag: true,
  async handle({ caller, params, database }) {
    const { messageId, position } = fromRecipientId(params.recipient_id)
    const message =
      messageId === params.id ? await findMessage(database, { accountId: caller.accountId, id: messageId }) : undefined
    const key = { accountId: caller.accountId, messageId, position }
    const steps = message && (await readSteps(database, { ...key, message }))
    if (!steps) throw notFound('recipient')
    return steps
  }
})
