import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { MessageView, messageExample, toMessageView } from '../messages/message-view.ts'
import { forecastExample, forecastFields, toForecastFields } from './forecast.ts'
import { pause } from './pause.ts'

export const pauseMessage = operation({
  route: 'PUT /messages/{id}/pause',
  id: 'pauseMessage',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Pause a message',
  description:
    'Holds whatever of a scheduled message, or of one that is being sent, has not been handed to a carrier. Recipients that are on their way at this moment still leave. The `state` stays, and `paused_at` tells of the pause. Time goes on: allowed hours and validity count as before, so recipients expire while the message is paused, and their credits come back. The answer tells how many, and when.',
  answer: Type.Object({ ...MessageView.properties, ...forecastFields }, { $id: 'PausedMessage' }),
  example: {
    answer: { ...messageExample, state: 'sending', paused_at: '2026-11-15T09:31:00.000Z', ...forecastExample }
  },
  refusals: {
    state_conflict: 'It is paused already, nothing of it is left to pause, or the Idempotency-Key is in use.'
  },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    return database.begin(async (database) => {
      const { message, forecast } = await pause(database, key)
      await record(database, { object: { kind: 'message', id: key.id } })
      return { ...toMessageView(message, caller.timeZone), ...toForecastFields(forecast) }
    })
  }
})
