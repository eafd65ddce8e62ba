import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteAnyKeyword as deleteRow } from './keywords.store.ts'

export const deleteAnyKeyword = operation({
  route: 'DELETE /consent-keywords/{id}',
  id: 'deleteAnyKeyword',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Delete a keyword of any account (operator)',
  description:
    'Frees a word that an account took on a shared number. Consents that came by it stay; questions that are open do not count.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
  example: { answer: { success: true, message: 'The keyword JOIN on 36111 was deleted.' } },
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database, record }) {
    refuseUnlessOperator(caller)
    return database.begin(async (database) => {
      const deleted = await deleteRow(database, params.id)
      if (!deleted) throw notFound('keyword')
      const { id, accountId, keyword, number } = deleted
      await record(database, {
        accountId,
        object: { kind: 'consent_keyword', id },
        changes: { keyword: [keyword, null], number: [number, null] }
      })
      return { success: true, message: `The keyword ${keyword} on ${number} was deleted.` }
    })
  }
})
