import Type from 'typebox'
import { operation } from '../http/operation.ts'
import type { Callers } from './callers.ts'
import { LAST_OWNER, removeMember } from './change-members.ts'
import { PERSON_ONLY, refuseKeysAndViewers } from './person-only.ts'

export const leaveAccount = (callers: Callers) =>
  operation({
    route: 'POST /users/me/leave',
    id: 'leaveAccount',
    tag: 'Beyond',
    permission: 'any',
    summary: 'Leave this account',
    description:
      'Takes the person who asks off the account, whatever their role, and ends their sessions there. The only owner can’t leave. If the person holds the account, the owner who joined first holds it from now on.',
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: { answer: { success: true, message: 'You have left the account.' } },
    refusals: { ...PERSON_ONLY, state_conflict: `${LAST_OWNER} Or the Idempotency-Key is in use.` },
    async handle({ caller, database, afterCommit, record }) {
      const { personId } = refuseKeysAndViewers(caller)
      await database.begin(async (database) => record(database, await removeMember(database, caller, personId)))
      afterCommit(() => callers.forgetPerson(personId))
      return { success: true, message: 'You have left the account.' }
    }
  })
