import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteTemplate as deleteRow } from './templates.store.ts'

export const deleteTemplate = operation({
  route: 'DELETE /models/{id}',
  id: 'deleteTemplate',
  tag: 'Modèle',
  permission: 'send',
  summary: 'Delete a template',
  description: 'Removes a template, SMS or RCS. Messages that were made from it stay as they are.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The template was deleted.' } },
  async handle({ caller, params, database, record }) {
    await database.begin(async (database) => {
      const isDeleted = await deleteRow(database, { accountId: caller.accountId, id: params.id })
      if (!isDeleted) throw notFound('template')
      await record(database, { object: { kind: 'template', id: params.id } })
    })
    return { success: true, message: 'The template was deleted.' }
  }
})
