import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findMessage } from '../messages/messages.store.ts'
import { Nullable } from '../schemas/nullable.ts'
import { isLate } from './deadline.ts'
import { forecast, forecastExample, forecastFields, forecastFinish, toForecastFields } from './forecast.ts'
import type { Sending } from './send-sms.ts'

export const readForecast = (sending: Pick<Sending, 'readPaces'>) =>
  operation({
    route: 'GET /messages/{id}/forecast',
    id: 'readForecast',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Forecast of a message',
    description:
      'How many recipients of a message still wait, how many are on their way, when the waiting ones expire, and about when the last one has left. Of a paused message, this is what expires unless it is resumed.',
    answer: Type.Object(
      {
        ...forecastFields,
        finishes_at: Nullable(
          Type.String({
            format: 'date-time',
            description:
              'About when the last recipient has left: by the pace of the carriers, what waits before it, its spread, and the hours allowed for marketing. Where a carrier has no known limit, only due times count. Null when nobody waits, and while the message is paused.'
          })
        ),
        deadline: Nullable(
          Type.String({ format: 'date-time', description: 'By when it should have left; null without a deadline.' })
        ),
        is_late: Type.Boolean({ description: 'Whether `finishes_at` is after the deadline.' })
      },
      { $id: 'MessageForecast' }
    ),
    example: {
      answer: { ...forecastExample, finishes_at: '2026-11-17T09:42:10.000Z', deadline: null, is_late: false }
    },
    async handle({ caller, params, database }) {
      const { accountId } = caller
      const message = await findMessage(database, { accountId, id: params.id })
      if (!message) throw notFound('message')
      const fields = toForecastFields(await forecast(database, { accountId, id: params.id }))
      const finish = await forecastFinish(
        database,
        { ...message, accountId },
        {
          caller,
          readPaces: sending.readPaces
        }
      )
      return {
        ...fields,
        finishes_at: finish?.toISOString() ?? null,
        deadline: message.options?.deadline ?? null,
        is_late: finish !== null && isLate(finish, message.options)
      }
    }
  })
