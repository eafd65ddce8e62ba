import { operation } from '../http/operation.ts'
import { MessageView, messageExample, toMessageView } from '../messages/message-view.ts'
import { resume } from './pause.ts'

export const resumeMessage = operation({
  route: 'PUT /messages/{id}/resume',
  id: 'resumeMessage',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Resume a paused message',
  description:
    'Lets a paused message leave again. What became due during the pause leaves now, marketing within the allowed hours; the rest leaves at its time. What expired during the pause stays expired.',
  answer: MessageView,
  example: { answer: { ...messageExample, state: 'sending' } },
  refusals: { state_conflict: 'It is not paused, or the Idempotency-Key is in use.' },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    return database.begin(async (database) => {
      const message = await resume(database, key)
      await record(database, { object: { kind: 'message', id: key.id } })
      return toMessageView(message, caller.timeZone)
    })
  }
})
