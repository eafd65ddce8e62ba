import Type from 'typebox'
import { Refusal } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deleteSession } from '../people/sessions.store.ts'
import type { Callers } from './callers.ts'

export const logOut = (callers: Callers) =>
  operation({
    route: 'POST /auth/logout',
    id: 'logout',
    tag: 'Beyond',
    permission: 'any',
    isForSetup: true,
    summary: 'Log out',
    description:
      'Ends the token of the request: from now on every process answers it 401. Other tokens of the account, and its key, stay valid.',
    answer: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    example: { answer: { success: true, message: 'The token is ended.' } },
    refusals: { state_conflict: 'The request has a key, and only a token can be ended.' },
    async handle({ caller: { accountId, personId, token }, database, afterCommit, record }) {
      if (!token || personId === null) {
        throw new Refusal(409, 'state_conflict', 'Only a token can be ended; a key ends when it is rotated.')
      }
      await database.begin(async (database) => {
        await deleteSession(database, { personId, id: token.id })
        await record(database)
      })
      afterCommit(() => callers.forget(accountId))
      return { success: true, message: 'The token is ended.' }
    }
  })
