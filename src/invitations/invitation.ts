import Type, { type Static } from 'typebox'
import type { Account } from '../accounts/account.ts'
import { notFound, Refusal } from '../errors.ts'
import { type Role, RoleSchema } from '../people/role.ts'
import { Nullable } from '../schemas/nullable.ts'

export const VALID_DAYS = 7

/** A row of `invitations`, its secret aside, with the name of the person who invites. */
export interface Invitation {
  id: number
  accountId: number
  email: string
  role: Role
  /** Empty for a key. */
  inviter: string
  createdAt: Date
  expiresAt: Date
  acceptedAt: Date | null
  withdrawnAt: Date | null
  isLate: boolean
}

const fields = {
  email: Type.String(),
  role: RoleSchema,
  invited_by: Nullable(Type.String({ description: 'Name or email of the person who invites; null for a key.' })),
  expires_at: Type.String({ format: 'date-time' })
}

export const InvitationView = Type.Object(
  { id: Type.Integer(), ...fields, created_at: Type.String({ format: 'date-time' }) },
  { $id: 'Invitation' }
)

export const InvitationWithLinkView = Type.Object(
  {
    ...InvitationView.properties,
    is_mailed: Type.Boolean({ description: 'Whether the link is mailed to the person.' }),
    link: Nullable(
      Type.String({ description: 'Only without a mail server, and only here: give it to the person yourself.' })
    )
  },
  { $id: 'InvitationWithLink' }
)

/** What the person who was invited sees. */
export const LookedInvitationView = Type.Object(
  {
    ...fields,
    social_reason: Type.String({ description: 'Company name of the account.' }),
    is_known: Type.Boolean({
      description: 'Whether the email has a password here: then that one is needed, and else a new one is chosen.'
    })
  },
  { $id: 'LookedInvitation' }
)

export function toInvitationView(invitation: Invitation): Static<typeof InvitationView> {
  return { id: invitation.id, ...toFields(invitation), created_at: invitation.createdAt.toISOString() }
}

export function toFields({ email, role, inviter, expiresAt }: Invitation) {
  return { email, role, invited_by: inviter === '' ? null : inviter, expires_at: expiresAt.toISOString() }
}

/** The invitation, if it can still be accepted. */
export function refuseUnlessOpen(invitation: Invitation | undefined): Invitation {
  if (!invitation || invitation.withdrawnAt) throw notFound('invitation')
  if (invitation.acceptedAt) throw new Refusal(409, 'state_conflict', 'This invitation has been accepted already.')
  if (invitation.isLate) {
    const day = invitation.expiresAt.toISOString().slice(0, 10)
    throw new Refusal(409, 'state_conflict', `This invitation was valid until ${day}: ask for another.`)
  }
  return invitation
}

export const NOT_OPEN = {
  not_found: 'There is no such invitation, or it was withdrawn.',
  state_conflict:
    'The invitation was accepted already or is too old, the person is on the account already, or the Idempotency-Key is in use.'
}

export const JoinedView = Type.Object(
  { account_id: Type.Integer(), social_reason: Type.String(), email: Type.String(), role: RoleSchema },
  { $id: 'JoinedAccount' }
)

export function toJoinedView({ account, invitation }: { account: Account; invitation: Invitation }) {
  return {
    account_id: account.id,
    social_reason: account.socialReason || account.email,
    email: invitation.email,
    role: invitation.role
  }
}

export const joinedExample = {
  account_id: 12,
  social_reason: 'Boutique Martin',
  email: 'hugo@boutique.example',
  role: 'sender' as const
}

export const invitationExample = {
  id: 8,
  email: 'hugo@boutique.example',
  role: 'sender' as const,
  invited_by: 'Léa Martin',
  expires_at: '2026-11-22T09:30:00.000Z',
  created_at: '2026-11-15T09:30:00.000Z'
}
