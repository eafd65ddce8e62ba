import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { findMessage } from '../messages/messages.store.ts'
import { forecast, forecastExample, forecastFields, toForecastFields } from './forecast.ts'

export const readForecast = operation({
  route: 'GET /messages/{id}/forecast',
  id: 'readForecast',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Forecast of a message',
  description:
    'How many recipients of a message still wait, how many are on their way, and when the waiting ones expire. Of a paused message, this is what expires unless it is resumed.',
  answer: Type.Object(forecastFields, { $id: 'MessageForecast' }),
  example: { answer: forecastExample },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    if (!(await findMessage(database, key))) throw notFound('message')
    return toForecastFields(await forecast(database, key))
  }
})
