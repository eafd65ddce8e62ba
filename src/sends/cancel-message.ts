import { retryBusy } from '../database/retry-busy.ts'
import { operation } from '../http/operation.ts'
import { MessageView, messageExample, toMessageView } from '../messages/message-view.ts'
import { CANCEL_TRIES_MAX, cancel } from './cancel.ts'

export const cancelMessage = operation({
  route: 'PUT /messages/{id}/cancel',
  id: 'cancelMessage',
  tag: 'Messages',
  permission: 'send',
  summary: 'Cancel a message',
  description:
    'Cancels all of a message that is scheduled, and of one that is being sent whatever has not been handed to a carrier yet. Of an RCS message, also of one that is `sent` and stays so, what has left and is not delivered is revoked: those recipients are cancelled as soon as the platform has confirmed it. The credits of what was cancelled come back, once.',
  answer: MessageView,
  example: { answer: { ...messageExample, state: 'cancelled', cancelled_at: '2026-11-15T09:31:00.000Z' } },
  refusals: { state_conflict: 'Nothing of it is left to cancel, or the Idempotency-Key is in use.' },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    const message = await retryBusy(CANCEL_TRIES_MAX, () =>
      database.begin(async (database) => {
        const message = await cancel(database, key)
        await record(database, { object: { kind: 'message', id: key.id } })
        return message
      })
    )
    return toMessageView(message, caller.timeZone)
  }
})
