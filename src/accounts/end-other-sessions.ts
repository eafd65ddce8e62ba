import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { deleteOtherSessions } from '../people/sessions.store.ts'
import type { Callers } from './callers.ts'
import { PERSON_ONLY, refuseKeysAndViewers } from './person-only.ts'

export const endOtherSessions = (callers: Callers) =>
  operation({
    route: 'DELETE /users/me/sessions',
    id: 'endOtherSessions',
    tag: 'Beyond',
    permission: 'any',
    summary: 'End all my other sessions',
    description: 'Ends every session of the person who asks, on all accounts, but the one of the request.',
    answer: Type.Object({ ended: Type.Integer({ description: 'How many sessions were ended.' }) }),
    example: { answer: { ended: 2 } },
    refusals: PERSON_ONLY,
    async handle({ caller, database, afterCommit, record }) {
      const { personId, token } = refuseKeysAndViewers(caller)
      const { count } = await database.begin(async (database) => {
        await record(database, { object: { kind: 'person', id: personId } })
        return deleteOtherSessions(database, { personId, exceptId: token.id })
      })
      afterCommit(() => callers.forgetPerson(personId))
      return { ended: count }
    }
  })
