import Type from 'typebox'
import { notFound, Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteApiKey, findApiKey } from './api-keys.store.ts'
import type { Callers } from './callers.ts'

export const deleteKey = (callers: Callers) =>
  operation({
    route: 'DELETE /keys/{id}',
    id: 'deleteKey',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Delete a key',
    description:
      'Ends a key at once in every process, and one that it replaced. The first key can only be rotated: the account keeps a pair.',
    answer: Type.Object({ success: Type.Boolean() }),
    example: { answer: { success: true } },
    refusals: { state_conflict: 'It is the first key, or the Idempotency-Key is in use.' },
    async handle({ caller: { accountId }, params, database, afterCommit, record }) {
      await database.begin(async (database) => {
        const key = await findApiKey(database, { accountId, id: params.id })
        if (!key) throw notFound('key')
        if (key.isFirst) throw new Refusal(409, 'state_conflict', 'The first key can’t be deleted; rotate it instead.')
        await deleteApiKey(database, { accountId, id: key.id })
        await record(database, { object: { kind: 'key', id: key.id }, changes: { name: [key.name, null] } })
      })
      afterCommit(() => callers.forget(accountId))
      return { success: true }
    }
  })
