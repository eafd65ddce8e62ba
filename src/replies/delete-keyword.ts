import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteKeyword as deleteRow } from './keywords.store.ts'

export const deleteKeyword = operation({
  route: 'DELETE /consents/keywords/{id}',
  id: 'deleteKeyword',
  tag: 'Beyond',
  permission: 'contacts',
  summary: 'Delete a keyword for consent',
  description:
    'From now on, the word means nothing. Consents that came by it stay; questions that are open do not count.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The keyword was deleted.' } },
  async handle({ caller, params, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId: caller.accountId, id: params.id }))) throw notFound('keyword')
      await record(database, { object: { kind: 'consent_keyword', id: params.id } })
    })
    return { success: true, message: 'The keyword was deleted.' }
  }
})
