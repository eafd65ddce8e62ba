import Type from 'typebox'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteSession } from '../people/sessions.store.ts'
import type { Callers } from './callers.ts'
import { PERSON_ONLY, refuseKeysAndViewers } from './person-only.ts'

export const endSession = (callers: Callers) =>
  operation({
    route: 'DELETE /users/me/sessions/{session}',
    id: 'endSession',
    tag: 'Beyond',
    permission: 'any',
    summary: 'End one of my sessions',
    description: 'From now on every process answers the token of that session 401.',
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: { answer: { success: true, message: 'The session is ended.' } },
    refusals: PERSON_ONLY,
    async handle({ caller, params, database, afterCommit, record }) {
      const { personId } = refuseKeysAndViewers(caller)
      await database.begin(async (database) => {
        const { isEnded } = await deleteSession(database, { personId, id: params.session })
        if (!isEnded) throw notFound('session')
        await record(database, { object: { kind: 'session', id: params.session } })
      })
      afterCommit(() => callers.forgetPerson(personId))
      return { success: true, message: 'The session is ended.' }
    }
  })
