import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteEntry } from './sender-lists.store.ts'

export const deleteSenderListEntry = operation({
  route: 'DELETE /sender-lists/{id}',
  id: 'deleteSenderListEntry',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Remove a forbidden or reserved name (operator)',
  description: 'The name can be declared again. Senders that were decided stay as they are.',
  answer: Type.Object({ success: Type.Boolean(), message: Type.String() }, { $id: 'SenderListEntryRemoved' }),
  example: { answer: { success: true, message: 'MYBANK is removed from the lists.' } },
  refusals: OPERATOR_ONLY,
  async handle({ caller, params, database, record }) {
    refuseUnlessOperator(caller)
    return database.begin(async (database) => {
      const entry = await deleteEntry(database, params.id)
      if (!entry) throw notFound('entry')
      await record(database, {
        object: { kind: 'sender_list_entry', id: entry.id },
        changes: { name: [entry.name, null], kind: [entry.kind, null] }
      })
      return { success: true, message: `${entry.name} is removed from the lists.` }
    })
  }
})
