import Type from 'typebox'
import type { Account } from '../accounts/account.ts'
import { findAccount } from '../accounts/accounts.store.ts'
import { operation } from '../http/operation.ts'
import { hashLinkToken, LinkToken, linkTokenExample } from '../people/link-tokens.ts'
import { findPersonByEmail } from '../people/people.store.ts'
import { invitationExample, LookedInvitationView, NOT_OPEN, refuseUnlessOpen, toFields } from './invitation.ts'
import { findInvitation } from './invitations.store.ts'

export const lookAtInvitation = operation({
  route: 'POST /invitations/look',
  id: 'lookAtInvitation',
  tag: 'Beyond',
  summary: 'Look at an invitation',
  description: 'What the link invites to. The token is in the body, because addresses end up in logs.',
  isOpen: true,
  bodyBytesMax: 16 * 1024,
  body: Type.Object({ token: LinkToken }, { $id: 'InvitationLook' }),
  answer: LookedInvitationView,
  example: {
    body: { token: linkTokenExample },
    answer: {
      email: invitationExample.email,
      role: invitationExample.role,
      invited_by: invitationExample.invited_by,
      expires_at: invitationExample.expires_at,
      social_reason: 'Boutique Martin',
      is_known: false
    }
  },
  refusals: NOT_OPEN,
  async handle({ body, database }) {
    const invitation = refuseUnlessOpen(await findInvitation(database, hashLinkToken(body.token)))
    const account = (await findAccount(database, invitation.accountId)) as Account
    const person = await findPersonByEmail(database, invitation.email)
    return {
      ...toFields(invitation),
      social_reason: account.socialReason || account.email,
      is_known: person !== undefined
    }
  }
})
