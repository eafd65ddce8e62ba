import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteStop as deleteRow } from './stops.store.ts'

export const deleteStop = operation({
  route: 'DELETE /stops/{id}',
  id: 'deleteStop',
  tag: 'Stops',
  permission: 'contacts',
  summary: 'Delete a STOP',
  description: 'Allows messages to a number again. Only with the consent of its owner.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The STOP was deleted.' } },
  async handle({ caller, params, database, record }) {
    const key = { accountId: caller.accountId, id: params.id }
    await database.begin(async (database) => {
      if (!(await deleteRow(database, key))) throw notFound('STOP')
      await record(database, { object: { kind: 'stop', id: params.id } })
    })
    return { success: true, message: 'The STOP was deleted.' }
  }
})
