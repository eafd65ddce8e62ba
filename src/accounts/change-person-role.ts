import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { RoleSchema } from '../people/role.ts'
import { proveCaller } from '../second-factors/prove-again.ts'
import { Proof, proofRefusals } from '../second-factors/second-factor.ts'
import type { Callers } from './callers.ts'
import { changeRole, LAST_OWNER } from './change-members.ts'
import { NO_MORE } from './key.ts'
import { MemberView, memberExample, toMemberView } from './member.ts'

export const changePersonRole = (callers: Callers) =>
  operation({
    route: 'PUT /people/{id}',
    id: 'changePersonRole',
    tag: 'Beyond',
    permission: 'people',
    summary: 'Change the role of a person',
    description:
      'The new role applies to the next request of the person, in every process. An account always has an owner: the only one can’t be made anything else. If the person holds the account, the owner who joined first holds it from now on. To make somebody an owner, a request with a token needs `current_password` or `code`.',
    body: Type.Object({ role: RoleSchema, ...Proof }, { $id: 'PersonChanges' }),
    answer: MemberView,
    example: { body: { role: 'sender' }, answer: memberExample },
    refusals: {
      ...NO_MORE,
      rate_limited: proofRefusals.rate_limited,
      state_conflict: `${LAST_OWNER} Or the Idempotency-Key is in use.`
    },
    async prepare({ caller, body, pool, address }) {
      // As for an invitation: an owner can do everything, and stays when the session is over.
      if (body.role === 'owner') await proveCaller(pool, caller, { address, body })
    },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const member = await database.begin(async (database) => {
        const { member, act } = await changeRole(database, caller, { personId: params.id, role: body.role })
        await record(database, act)
        return member
      })
      afterCommit(() => callers.forgetPerson(member.id))
      return toMemberView(member, caller.personId)
    }
  })
