import Type from 'typebox'
import { invalidInput } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from '../phone-numbers/phone-number.ts'
import { recordEvents } from '../webhooks/events.store.ts'
import { StopView, stopExample, toStopView } from './stop.ts'
import { insertStop } from './stops.store.ts'

export const addStop = operation({
  route: 'POST /stops',
  id: 'addStop',
  tag: 'Stops',
  permission: 'contacts',
  summary: 'Add a STOP',
  description: 'Opts a number out. A number that is opted out already, in any notation, answers the existing STOP.',
  body: Type.Object({ recipient: Type.String({ minLength: 1, maxLength: 255 }) }, { $id: 'StopsDto' }),
  answer: StopView,
  example: { body: { recipient: '06 39 98 00 06' }, answer: stopExample },
  async handle({ caller, body, database, record }) {
    const number = parsePhoneNumber(body.recipient, caller.country)
    if (!number) throw invalidInput([{ path: 'recipient', message: NOT_A_NUMBER }])
    const { accountId } = caller
    // One transaction: a stop without its event, or an event without its stop, can't exist.
    return database.begin(async (database) => {
      const { stop, isNew } = await insertStop(database, { accountId, phone: number.e164, way: 'manual' })
      if (isNew) await recordEvents(database, [{ accountId, type: 'stops', record: toStopView(stop) }])
      await record(database, { object: { kind: 'stop', id: stop.id } })
      return toStopView(stop)
    })
  }
})
