import Type from 'typebox'
import { operation } from '../http/operation.ts'
import type { Callers } from './callers.ts'
import { LAST_OWNER, removeMember } from './change-members.ts'

export const removePerson = (callers: Callers) =>
  operation({
    route: 'DELETE /people/{id}',
    id: 'removePerson',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Remove a person from my account',
    description:
      'The sessions of the person on this account end at once, in every process; the person and their other accounts stay. An account always has an owner: the only one can’t be removed. If the person holds the account, the owner who joined first holds it from now on. Keys stay: revoke those that the person may know.',
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: { answer: { success: true, message: 'The person is removed.' } },
    refusals: { state_conflict: `${LAST_OWNER} Or the Idempotency-Key is in use.` },
    async handle({ caller, params, database, afterCommit, record }) {
      await database.begin(async (database) => record(database, await removeMember(database, caller, params.id)))
      afterCommit(() => callers.forgetPerson(params.id))
      return { success: true, message: 'The person is removed.' }
    }
  })
