import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { InvitationView, invitationExample, toInvitationView } from './invitation.ts'
import { listOpenInvitations } from './invitations.store.ts'

export const listInvitations = operation({
  route: 'GET /people/invitations',
  id: 'listInvitations',
  tag: 'Beyond',
  permission: 'read',
  summary: 'The open invitations of my account',
  description: 'The invitations that can still be accepted, the newest first. Their links are never shown again.',
  answer: Type.Array(InvitationView),
  example: { answer: [invitationExample] },
  async handle({ caller, database }) {
    return (await listOpenInvitations(database, caller.accountId)).map(toInvitationView)
  }
})
