import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { updateSecondFactorRequirement } from './accounts.store.ts'
import type { Callers } from './callers.ts'

export const requireSecondFactor = (callers: Callers) =>
  operation({
    route: 'PUT /users/me/second-factor/requirement',
    id: 'requireSecondFactor',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Require a second factor',
    description:
      'Whether all people of the account need a second factor. A person without one can then log in only to set one up: all other operations answer 403 with `second_factor_required`. Keys, and log-ins by single sign-on, are as before.',
    body: Type.Object({ is_required: Type.Boolean() }, { $id: 'SecondFactorRequirement' }),
    answer: Type.Object({ is_required: Type.Boolean() }),
    example: { body: { is_required: true }, answer: { is_required: true } },
    async handle({ caller: { accountId }, body, database, afterCommit, record }) {
      await database.begin(async (database) => {
        const { wasRequired } = await updateSecondFactorRequirement(database, {
          accountId,
          isRequired: body.is_required
        })
        await record(database, { changes: { is_required: [wasRequired, body.is_required] } })
      })
      afterCommit(() => callers.forget(accountId))
      return { is_required: body.is_required }
    }
  })
