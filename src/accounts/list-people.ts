import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { MemberView, memberExample, toMemberView } from './member.ts'
import { listMembers } from './members.store.ts'

export const listPeople = operation({
  route: 'GET /people',
  id: 'listPeople',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The people of my account',
  description: 'Everybody who may log in to the account, with their role, those who joined first before the others.',
  answer: Type.Array(MemberView),
  example: { answer: [memberExample] },
  async handle({ caller, database }) {
    const members = await listMembers(database, caller.accountId)
    return members.map((member) => toMemberView(member, caller.personId))
  }
})
