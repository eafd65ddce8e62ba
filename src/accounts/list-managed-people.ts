import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { type FindManaged, findForOperator, findForParent } from './managed-account.ts'
import { MemberView, memberExample, toMemberView } from './member.ts'
import { listMembers } from './members.store.ts'
import { OPERATOR_ONLY } from './operator.ts'

export const listAccountPeople = listManagedPeople(
  {
    route: 'GET /accounts/{id}/people',
    id: 'listAccountPeople',
    summary: 'The people of an account (operator)',
    refusals: OPERATOR_ONLY
  },
  findForOperator
)

export const listSubAccountPeople = listManagedPeople(
  {
    route: 'GET /subaccount/{id}/people',
    id: 'listSubAccountPeople',
    summary: 'The people of a sub-account',
    refusals: {}
  },
  findForParent
)

function listManagedPeople<Route extends 'GET /accounts/{id}/people' | 'GET /subaccount/{id}/people'>(
  parts: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  find: FindManaged
) {
  return operation({
    ...parts,
    tag: 'Beyond',
    permission: 'people',
    description: 'Everybody who may log in to the account, those who joined first before the others.',
    answer: Type.Array(MemberView),
    example: { answer: [memberExample] },
    async handle({ caller, params, database }) {
      const { id } = params as { id: number }
      const account = await find(database, caller, id)
      const members = await listMembers(database, account.id)
      return members.map((member) => toMemberView(member, caller.personId))
    }
  })
}
